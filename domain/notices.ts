/** What the portal notifies a borrower of. */
export const noticeKinds = [
  'payment_applied',
  'foreclosure_short',
  'refund_asked',
  'refund_processed',
  'due_soon',
  'tranche_approved',
  'tranche_released',
  'tranche_rejected',
  'document_added',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

/**
 * The preference that enables text messages of a kind. Null: the kind is shown in the portal only.
 */
export const smsPreferenceOf: Readonly<Record<NoticeKind, 'sms_payments' | 'sms_tranches' | 'sms_due_soon' | null>> = {
  payment_applied: 'sms_payments',
  foreclosure_short: 'sms_payments',
  refund_asked: 'sms_payments',
  refund_processed: 'sms_payments',
  due_soon: 'sms_due_soon',
  tranche_approved: 'sms_tranches',
  tranche_released: 'sms_tranches',
  tranche_rejected: 'sms_tranches',
  document_added: null,
}

/** An instalment is announced this many days before it falls due. */
export const dueSoonDays = 3
