/**
 * The records of recurring payments. Times are Unix seconds (null when unset, as the provider
 * writes them here), amounts are paise.
 */

import type { Notes, Planned } from '../entities.ts'

export const authTypes = ['netbanking', 'debitcard', 'aadhaar'] as const

export type BankAccount = {
  readonly beneficiary_name: string
  readonly account_number: string
  readonly ifsc: string
  readonly account_type: 'savings' | 'current'
}

/** What the customer agrees to. */
export type MandateTerms = {
  readonly method: 'upi' | 'emandate'
  /** Null for UPI. */
  readonly auth_type: (typeof authTypes)[number] | null
  /** The largest debit. */
  readonly max_amount: number
  readonly expire_at: number
  readonly frequency: string | null
  /** The account of an eMandate; null for UPI. */
  readonly bank_account: BankAccount | null
}

export type Customer = {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly contact: string
  readonly gstin: string | null
  readonly notes: Notes | null
  readonly created_at: number
}

/** A registration link, which the provider keeps as an invoice. */
export type Registration = {
  readonly id: string
  /** Last part of short_url. */
  readonly slug: string
  readonly order_id: string
  readonly customer_id: string
  readonly name: string
  readonly email: string
  readonly contact: string
  readonly receipt: string
  /** 100 for UPI, 0 for an eMandate. */
  readonly amount: number
  readonly currency: string
  readonly description: string
  readonly notes: Notes | null
  readonly terms: MandateTerms
  readonly is_sms_sent: boolean
  readonly is_email_sent: boolean
  readonly status: 'issued' | 'paid' | 'expired' | 'cancelled'
  /** The captured payment; null until then. */
  readonly payment_id: string | null
  readonly expire_by: number | null
  readonly paid_at: number | null
  readonly cancelled_at: number | null
  readonly expired_at: number | null
  readonly created_at: number
}

export type TokenStatus = 'initiated' | 'confirmed' | 'rejected' | 'paused' | 'cancellation_initiated' | 'cancelled'

/** A mandate at the provider. */
export type Token = {
  readonly id: string
  readonly registration_id: string
  readonly customer_id: string
  readonly token: string
  readonly terms: MandateTerms
  readonly status: TokenStatus
  readonly failure_reason: string | null
  /** The merchant has deleted it; then it takes no debit, and lists do not show it. */
  readonly is_deleted: boolean
  readonly used_at: number
  readonly created_at: number
  readonly planned: Planned<'confirmed' | 'rejected' | 'cancelled'> | null
}

/** The pre-debit notification of an order. */
export type Notification = {
  readonly id: string
  readonly token_id: string
  /** The debit is not attempted before; Unix seconds. */
  readonly payment_after: number
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly delivered_at: number | null
  readonly planned: Planned<'delivered' | 'failed'> | null
}

export const debitOutcomes = ['success', 'failure', 'late_success', 'success_then_return'] as const

/** What a payment of a registration or a debit has besides those of a link. */
export type MandatePayment = {
  readonly customer_id: string
  readonly token_id: string
  /** The registration link that the payment belongs to; null for a debit. */
  readonly invoice_id: string | null
  readonly description: string | null
  readonly outcome: (typeof debitOutcomes)[number]
  /** Why a failure fails. */
  readonly reason: string | null
  /** Sandbox seconds from a failure to its late success, or from a success to its return. */
  readonly afterwards_s: number
}
