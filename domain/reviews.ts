import type { OperationKind } from './operations.ts'

/** The kinds of differences with the provider that a person must resolve. */
export const reviewKinds = [
  'reference_mismatch',
  'payment_link_id_mismatch',
  'amount_mismatch',
  'currency_mismatch',
  'amount_over',
  'foreclosure_short',
  'credit_on_closed_loan',
  'refund_failed',
  'refund_by_lender',
  'refund_mismatch',
  'dispute',
  'unknown_payment',
  'settlement_amount',
  'settlement_line',
  'not_posted',
  'not_settled',
  'not_reconciled',
  'duplicate_bank_reference',
] as const
export type ReviewKind = (typeof reviewKinds)[number]

/** What may be done about a review, besides resolving it (docs/operations.md). */
export const reviewRemedies: Readonly<Record<ReviewKind, readonly OperationKind[]>> = {
  reference_mismatch: [],
  payment_link_id_mismatch: [],
  amount_mismatch: [],
  currency_mismatch: [],
  amount_over: ['credit_refund'],
  foreclosure_short: ['foreclosure_waive', 'charge_waive'],
  credit_on_closed_loan: ['credit_refund'],
  refund_failed: [],
  refund_by_lender: [],
  refund_mismatch: [],
  dispute: ['payment_reverse'],
  unknown_payment: ['payment_record'],
  settlement_amount: [],
  settlement_line: [],
  not_posted: [],
  not_settled: [],
  not_reconciled: [],
  duplicate_bank_reference: ['payment_reverse'],
}
