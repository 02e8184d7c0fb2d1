import type { Method, Payment, PaymentError } from './entities.ts'
import { newId, newRrn, newUpiTransactionId } from './ids.ts'

/** The two UPI ids of the provider's test mode. */
export const VPA_SUCCESS = 'success@razorpay'
export const VPA_FAILURE = 'failure@razorpay'
/** Ours: the link is paid at once, while the payment itself is told of only some minutes later. */
export const VPA_SLOW = 'slow@razorpay'
export const VPAS: readonly string[] = [VPA_SUCCESS, VPA_FAILURE, VPA_SLOW]

/** How long the details of a slow payment cannot be had. */
export const SLOW_DETAILS_SECONDS = 180

type Instrument = Pick<Payment, 'vpa' | 'bank' | 'card' | 'acquirer_data'>

/** What identifies the customer's side of a payment, before any bank has answered. */
export function instrumentOf(method: Method, vpa: string): Instrument {
  switch (method) {
    case 'upi':
      return { vpa, bank: null, card: null, acquirer_data: { rrn: null } }
    case 'card':
      return { vpa: null, bank: null, card: testCard(), acquirer_data: { auth_code: null } }
    default:
      return { vpa: null, bank: 'HDFC', card: null, acquirer_data: { bank_transaction_id: null } }
  }
}

/** The bank's references of a payment that went through. */
export function acquirerData(method: Method): Payment['acquirer_data'] {
  switch (method) {
    case 'upi':
      return { rrn: newRrn(), upi_transaction_id: newUpiTransactionId() }
    case 'card':
      return { auth_code: newRrn().slice(0, 6), rrn: newRrn() }
    default:
      return { bank_transaction_id: newRrn().slice(0, 10) }
  }
}

/** Why a payment of this method fails when the customer asks for a failure. */
export function declined(method: Method): PaymentError {
  const texts: Record<Method, readonly [string, string]> = {
    upi: ['Payment was declined by the customer in the UPI app.', 'payment_declined'],
    card: ["Payment was declined by the customer's bank.", 'card_declined'],
    netbanking: ['Payment was cancelled on the bank page.', 'payment_cancelled'],
  }
  const [description, reason] = texts[method]
  return {
    code: 'BAD_REQUEST_ERROR',
    description,
    source: method === 'card' ? 'issuer_bank' : 'customer',
    step: 'payment_authorization',
    reason,
  }
}

/** Why a payment counts as failed while its bank is silent; it may still succeed later. */
export const TIMED_OUT: PaymentError = {
  code: 'GATEWAY_ERROR',
  description: 'Payment was not completed on time. Any amount debited will be applied or returned.',
  source: 'issuer_bank',
  step: 'payment_authorization',
  reason: 'payment_timed_out',
}

/** 2 % and 18 % GST on it, each rounded to the paisa, as in the provider's samples. */
export function feeOf(amountPaise: number): { fee: number; tax: number } {
  const base = Math.round((amountPaise * 2) / 100)
  const tax = Math.round((base * 18) / 100)
  return { fee: base + tax, tax }
}

function testCard(): Record<string, string | boolean> {
  return {
    id: newId('card'),
    entity: 'card',
    name: '',
    last4: '1007',
    network: 'Visa',
    type: 'debit',
    issuer: 'HDFC',
    international: false,
    emi: false,
    sub_type: 'consumer',
  }
}
