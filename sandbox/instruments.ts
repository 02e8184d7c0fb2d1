import type { Chance } from './chance.ts'
import type { Method, Payment, PaymentError, PaymentMethod } from './entities.ts'

/** The two UPI ids of the provider's test mode. */
export const succeedingVpa = 'success@razorpay'
export const failingVpa = 'failure@razorpay'
/** Not the provider's: the link is paid at once, its payment is reported some minutes later. */
export const slowVpa = 'slow@razorpay'
export const testVpas: readonly string[] = [succeedingVpa, failingVpa, slowVpa]

/** How long the details of a slow payment are unavailable. */
export const slowDetailsSeconds = 180

/** Every method a link may be paid by, in the order of the hosted page. */
export const allMethods: readonly Method[] = ['upi', 'card', 'netbanking', 'wallet', 'bank_transfer']

/** Banks of netbanking by the provider's code. */
export const banks: Readonly<Record<string, string>> = {
  HDFC: 'HDFC Bank',
  ICIC: 'ICICI Bank',
  SBIN: 'State Bank of India',
  UTIB: 'Axis Bank',
  KKBK: 'Kotak Mahindra Bank',
  PUNB_R: 'Punjab National Bank',
  BARB_R: 'Bank of Baroda',
  CNRB: 'Canara Bank',
}

/** Wallets by the provider's code. */
export const wallets: Readonly<Record<string, string>> = {
  amazonpay: 'Amazon Pay',
  mobikwik: 'MobiKwik',
  phonepe: 'PhonePe Wallet',
  olamoney: 'Ola Money',
}

export type Instrument = Pick<Payment, 'vpa' | 'bank' | 'wallet' | 'card' | 'acquirer_data'>

/** The default instrument of a method, before any bank has answered. */
export function instrumentOf(chance: Chance, method: Method, isFailure: boolean): Instrument {
  const none: Instrument = { vpa: null, bank: null, wallet: null, card: null, acquirer_data: {} }
  switch (method) {
    case 'upi':
      return { ...none, vpa: isFailure ? failingVpa : succeedingVpa, acquirer_data: { rrn: null } }
    case 'card':
      return { ...none, card: cardOf(chance, 'Visa', '1007'), acquirer_data: { auth_code: null } }
    case 'wallet':
      return { ...none, wallet: 'mobikwik', acquirer_data: { transaction_id: null } }
    case 'bank_transfer':
      return { ...none, bank: 'SBIN', acquirer_data: { rrn: null } }
    default:
      return { ...none, bank: 'HDFC', acquirer_data: { bank_transaction_id: null } }
  }
}

/** The bank's references of a successful payment. */
export function acquirerData(chance: Chance, method: PaymentMethod): Payment['acquirer_data'] {
  switch (method) {
    case 'upi':
      return { rrn: chance.rrn(), upi_transaction_id: chance.upiTransactionId() }
    case 'card':
      return { auth_code: chance.digits(6), rrn: chance.rrn() }
    case 'wallet':
      return { transaction_id: chance.rrn() }
    case 'bank_transfer':
      return { rrn: chance.rrn() }
    default:
      return { bank_transaction_id: chance.digits(10) }
  }
}

type Cause = readonly [code: PaymentError['code'], source: string, step: string, description: string]

const byCustomer = ['BAD_REQUEST_ERROR', 'customer', 'payment_authentication'] as const
const byIssuer = ['BAD_REQUEST_ERROR', 'issuer_bank', 'payment_authorization'] as const

/** The failure texts, by the provider's reason. */
const causesByReason: Readonly<Record<string, Cause>> = {
  payment_timed_out: [
    'GATEWAY_ERROR',
    'issuer_bank',
    'payment_authorization',
    'Payment was not completed on time. Any amount debited will be applied or returned.',
  ],
  insufficient_fund: [...byIssuer, 'Payment was unsuccessful: the account does not have enough balance.'],
  payment_cancelled: [...byCustomer, 'Payment was cancelled on the bank page.'],
  payment_declined: [...byCustomer, 'Payment was declined by the customer in the UPI app.'],
  card_declined: [...byIssuer, "Payment was declined by the customer's bank."],
  card_disabled_for_online_payments: [...byIssuer, 'This card is not enabled for payments on the internet.'],
  card_number_invalid: [...byCustomer, 'The card number is not valid.'],
  authentication_failed: [...byCustomer, 'The one-time password was wrong or was not given.'],
  gateway_technical_error: ['GATEWAY_ERROR', 'gateway', 'payment_authorization', 'The gateway had a technical problem.'],
}

/** The reasons that a request for a failure may name. */
export const failureReasons: readonly string[] = Object.keys(causesByReason)

const usualReason: Readonly<Record<PaymentMethod, string>> = {
  upi: 'payment_declined',
  card: 'card_declined',
  netbanking: 'payment_cancelled',
  wallet: 'payment_cancelled',
  bank_transfer: 'payment_timed_out',
  emandate: 'payment_timed_out',
}

/** The provider's five fields of a failure. */
export function failureOf(method: PaymentMethod, asked?: string): PaymentError {
  const reason = asked !== undefined && asked in causesByReason ? asked : usualReason[method]
  const [code, source, step, description] = causesByReason[reason] ?? [
    'GATEWAY_ERROR',
    'gateway',
    'payment_authorization',
    'Payment failed.',
  ]
  return { code, description, source, step, reason }
}

/** 2 % and 18 % GST on it, each rounded to the paisa, as in the provider's samples. */
export function feeOf(amountPaise: number): { fee: number; tax: number } {
  const base = Math.round((amountPaise * 2) / 100)
  const tax = Math.round((base * 18) / 100)
  return { fee: base + tax, tax }
}

/** The only stored data of a card: network and last four digits. */
export function cardOf(chance: Chance, network: string, last4: string): NonNullable<Payment['card']> {
  return {
    id: chance.id('card'),
    entity: 'card',
    name: '',
    last4,
    network,
    type: 'debit',
    issuer: 'HDFC',
    international: false,
    emi: false,
    sub_type: 'consumer',
  }
}
