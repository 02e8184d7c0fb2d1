import type { Notice } from '#contract/notices.ts'
import type { NoticeKind } from '#domain/notices.ts'
import { getLoanTabPath, paths } from '#web/app/paths.ts'

const targetPaths: Record<NoticeKind, string> = {
  payment_applied: getLoanTabPath('payments'),
  foreclosure_short: getLoanTabPath('payments'),
  refund_asked: getLoanTabPath('payments'),
  refund_processed: getLoanTabPath('payments'),
  refund_failed: getLoanTabPath('payments'),
  payment_reversed: getLoanTabPath('payments'),
  charge_added: getLoanTabPath('payments'),
  late_charge: getLoanTabPath('payments'),
  charge_waived: getLoanTabPath('payments'),
  foreclosure_waived: getLoanTabPath('loan-details'),
  loan_closed: getLoanTabPath('documents'),
  due_soon: getLoanTabPath('payments'),
  autopay_announced: getLoanTabPath('payments'),
  autopay_debited: getLoanTabPath('payments'),
  autopay_failed: getLoanTabPath('payments'),
  autopay_skipped: getLoanTabPath('payments'),
  autopay_cap_too_low: getLoanTabPath('payments'),
  autopay_ended: getLoanTabPath('payments'),
  tranche_approved: getLoanTabPath('loan-details'),
  tranche_released: getLoanTabPath('loan-details'),
  tranche_rejected: getLoanTabPath('loan-details'),
  rate_reset_notified: getLoanTabPath('loan-details'),
  rate_reset_chosen: getLoanTabPath('loan-details'),
  rate_reset_defaulted: getLoanTabPath('loan-details'),
  rate_reset_recomputed: getLoanTabPath('loan-details'),
  rate_reset_withdrawn: getLoanTabPath('loan-details'),
  emi_start: getLoanTabPath('loan-details'),
  paper_published: getLoanTabPath('documents'),
  document_added: getLoanTabPath('documents'),
  staff_assumed: paths.userProfile,
  new_device: paths.userProfile,
  sessions_ended: paths.userProfile,
}

/** Where a notice leads: the tab of its loan, with the payment that it is about; or the profile. */
export function getNoticeTarget({ kind, lan, payment_link_id }: Pick<Notice, 'kind' | 'lan' | 'payment_link_id'>) {
  const search: Record<string, string> = {}
  if (lan !== null) search['loan'] = lan
  if (payment_link_id !== null) search['payment'] = payment_link_id
  return { to: targetPaths[kind], search }
}
