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
