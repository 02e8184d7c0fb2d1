import type { PaymentError } from '../entities.ts'

type Cause = readonly [code: PaymentError['code'], source: string, step: string, description: string]

const byBank = ['BAD_REQUEST_ERROR', 'issuer_bank', 'payment_authorization'] as const
const byCustomer = ['BAD_REQUEST_ERROR', 'customer', 'payment_authentication'] as const
const byGateway = ['GATEWAY_ERROR', 'gateway', 'payment_authorization'] as const

/** Why a registration or a debit fails, by the provider's reason; the texts are ours. */
const debitFailures: Readonly<Record<string, Cause>> = {
  insufficient_funds: [...byBank, 'The account does not have enough balance.'],
  bank_technical_error: ['GATEWAY_ERROR', 'issuer_bank', 'payment_authorization', 'The bank had a technical problem.'],
  gateway_technical_error: [...byGateway, 'The gateway had a technical problem.'],
  psp_timeout: [...byGateway, 'The UPI app did not answer in time.'],
  request_timed_out: [...byGateway, 'The request was not answered in time.'],
  payment_timed_out: [...byGateway, 'Payment was not completed on time. Any amount debited will be applied or returned.'],
  pre_debit_notification_failed: [...byBank, 'The pre-debit notification was not delivered a day before the debit.'],
  payment_mandate_not_active: [...byBank, 'The mandate is not active.'],
  mandate_paused: [...byCustomer, 'The customer has paused the mandate.'],
  transaction_limit_exceeded: [...byBank, 'The amount is above the limit of the account.'],
  mandate_debit_beyond_psp_amount_cap: [...byBank, 'The amount is above the limit of the UPI app.'],
  payer_account_has_changed: [...byBank, 'The account of the customer has changed.'],
  debit_instrument_blocked: [...byBank, 'The account is blocked for debits.'],
  mandate_cancelled: [...byCustomer, 'The mandate was cancelled.'],
  mandate_expired: [...byBank, 'The mandate has expired.'],
  mandate_not_active: [...byBank, 'The mandate is not active yet.'],
  invalid_token: [...byBank, 'The mandate was rejected.'],
  bank_account_invalid: [...byBank, 'The bank account does not exist or is closed.'],
  umn_does_not_exist_payer: [...byBank, 'The bank does not know the mandate.'],
  remitter_account_dormant: [...byBank, 'The bank account is dormant.'],
  payment_declined: [...byCustomer, 'The customer declined the mandate.'],
  payment_cancelled: [...byCustomer, 'The customer cancelled on the page of the bank.'],
  upi_dummy_payment: [...byGateway, 'The first payment of the mandate was not completed.'],
}

/** The provider's five fields of a failure; an unknown reason is passed on as it is. */
export function debitFailure(reason: string): PaymentError {
  const [code, source, step, description] = debitFailures[reason] ?? [...byGateway, 'Payment failed.']
  return { code, description, source, step, reason }
}
