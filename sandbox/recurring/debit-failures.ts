import type { PaymentError } from '../entities.ts'

type Cause = readonly [code: PaymentError['code'], source: string, step: string, description: string]

const BANK = ['BAD_REQUEST_ERROR', 'issuer_bank', 'payment_authorization'] as const
const CUSTOMER = ['BAD_REQUEST_ERROR', 'customer', 'payment_authentication'] as const
const GATEWAY = ['GATEWAY_ERROR', 'gateway', 'payment_authorization'] as const

/** Why a registration or a debit fails, by the provider's reason; the texts are ours. */
const CAUSES: Readonly<Record<string, Cause>> = {
  insufficient_funds: [...BANK, 'The account does not have enough balance.'],
  bank_technical_error: ['GATEWAY_ERROR', 'issuer_bank', 'payment_authorization', 'The bank had a technical problem.'],
  gateway_technical_error: [...GATEWAY, 'The gateway had a technical problem.'],
  psp_timeout: [...GATEWAY, 'The UPI app did not answer in time.'],
  request_timed_out: [...GATEWAY, 'The request was not answered in time.'],
  payment_timed_out: [...GATEWAY, 'Payment was not completed on time. Any amount debited will be applied or returned.'],
  pre_debit_notification_failed: [...BANK, 'The pre-debit notification was not delivered a day before the debit.'],
  payment_mandate_not_active: [...BANK, 'The mandate is not active.'],
  mandate_paused: [...CUSTOMER, 'The customer has paused the mandate.'],
  transaction_limit_exceeded: [...BANK, 'The amount is above the limit of the account.'],
  mandate_debit_beyond_psp_amount_cap: [...BANK, 'The amount is above the limit of the UPI app.'],
  payer_account_has_changed: [...BANK, 'The account of the customer has changed.'],
  debit_instrument_blocked: [...BANK, 'The account is blocked for debits.'],
  mandate_cancelled: [...CUSTOMER, 'The mandate was cancelled.'],
  mandate_expired: [...BANK, 'The mandate has expired.'],
  mandate_not_active: [...BANK, 'The mandate is not active yet.'],
  invalid_token: [...BANK, 'The mandate was rejected.'],
  bank_account_invalid: [...BANK, 'The bank account does not exist or is closed.'],
  umn_does_not_exist_payer: [...BANK, 'The bank does not know the mandate.'],
  remitter_account_dormant: [...BANK, 'The bank account is dormant.'],
  payment_declined: [...CUSTOMER, 'The customer declined the mandate.'],
  payment_cancelled: [...CUSTOMER, 'The customer cancelled on the page of the bank.'],
  upi_dummy_payment: [...GATEWAY, 'The first payment of the mandate was not completed.'],
}

/** The provider's five fields of a failure; an unknown reason is passed on as it is. */
export function debitFailure(reason: string): PaymentError {
  const [code, source, step, description] = CAUSES[reason] ?? [...GATEWAY, 'Payment failed.']
  return { code, description, source, step, reason }
}
