import { dayInIndia, startOfDayInIndiaMs } from './calendar.ts'
import { hourMs, dayMs } from './durations.ts'

/**
 * What the portal notifies a borrower of: money, decisions of the lender, acts of staff, security,
 * and what falls due. Not of the borrower's own acts on the screen, except those that
 * somebody else could have done in the borrower's name.
 */
export const noticeKinds = [
  'payment_applied',
  'foreclosure_short',
  'refund_asked',
  'refund_processed',
  'refund_failed',
  'payment_reversed',
  'charge_added',
  'late_charge',
  'charge_waived',
  'foreclosure_waived',
  'loan_closed',
  'due_soon',
  'autopay_announced',
  'autopay_debited',
  'autopay_failed',
  'autopay_skipped',
  'autopay_cap_too_low',
  'autopay_ended',
  'tranche_approved',
  'tranche_released',
  'tranche_rejected',
  'rate_reset_notified',
  'rate_reset_chosen',
  'rate_reset_defaulted',
  'rate_reset_recomputed',
  'rate_reset_withdrawn',
  'emi_start',
  'paper_published',
  'document_added',
  'staff_assumed',
  'new_device',
  'sessions_ended',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

/**
 * The preference that enables text messages of a kind. `always`: the lender must notify the
 * borrower (RBI, 18 Aug 2023, and the e-mandate framework). Null: shown in the portal only.
 */
export const smsPreferenceOf: Readonly<Record<NoticeKind, 'sms_payments' | 'sms_tranches' | 'sms_due_soon' | 'always' | null>> = {
  payment_applied: 'sms_payments',
  foreclosure_short: 'sms_payments',
  refund_asked: 'sms_payments',
  refund_processed: 'sms_payments',
  refund_failed: null,
  payment_reversed: 'sms_payments',
  charge_added: 'sms_payments',
  late_charge: 'sms_payments',
  charge_waived: null,
  foreclosure_waived: null,
  loan_closed: 'sms_payments',
  due_soon: 'sms_due_soon',
  autopay_announced: 'always',
  autopay_debited: 'sms_payments',
  autopay_failed: 'sms_payments',
  autopay_skipped: 'sms_payments',
  autopay_cap_too_low: 'sms_payments',
  autopay_ended: 'sms_payments',
  tranche_approved: 'sms_tranches',
  tranche_released: 'sms_tranches',
  tranche_rejected: 'sms_tranches',
  rate_reset_notified: 'always',
  rate_reset_chosen: null,
  rate_reset_defaulted: 'always',
  rate_reset_recomputed: 'always',
  rate_reset_withdrawn: 'always',
  emi_start: 'sms_due_soon',
  paper_published: null,
  document_added: null,
  staff_assumed: null,
  new_device: null,
  sessions_ended: null,
}

/** The subject of `payment_reversed` if the provider's payment replaces it: nothing is lost. */
export const recordedTwice = 'recorded_twice'
/** Its subject if the provider returned the payment of a link without capturing it. */
export const returnedUncaptured = 'not_captured'

/** Hours in India of text messages that nobody waits for, so that none wakes anybody. */
const dayHours = { from: 9, until: 20 }

/** Kinds that no act of the borrower at that moment causes. */
const sentByDay: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  'payment_reversed',
  'late_charge',
  'loan_closed',
  'due_soon',
  'autopay_skipped',
  'autopay_cap_too_low',
  'rate_reset_notified',
  'rate_reset_defaulted',
  'rate_reset_recomputed',
  'rate_reset_withdrawn',
  'emi_start',
])

/** How long the text message of a notice waits for the day, in milliseconds; 0: not at all. */
export const textDelayMs = (kind: NoticeKind, now: Date): number => (sentByDay.has(kind) ? untilDayMs(now) : 0)

/** The time until text messages may come that nobody waits for, in milliseconds; 0: at once. */
export function untilDayMs(now: Date): number {
  const sinceMidnightMs = now.getTime() - startOfDayInIndiaMs(dayInIndia(now))
  if (sinceMidnightMs >= dayHours.from * hourMs && sinceMidnightMs < dayHours.until * hourMs) return 0
  const untilMs = dayHours.from * hourMs - sinceMidnightMs
  return untilMs > 0 ? untilMs : untilMs + 24 * hourMs
}

/** Announced at least 15 days ahead (RBI), so a text message of some days later is of use. */
const resetTextDays = 7

/** How long after a notice its text message may be sent; later only the portal shows the notice. */
export const textWithinMs = (kind: NoticeKind): number => (kind.startsWith('rate_reset_') ? resetTextDays : 1) * dayMs

/** An instalment is announced from this many days before it falls due. */
export const dueSoonDays = 3
