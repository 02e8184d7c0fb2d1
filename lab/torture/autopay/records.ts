import { addWorkingDays } from '#domain/autopay-times.ts'
import { dayAtMs, startOfDayInIndiaMs } from '#domain/calendar.ts'
import type { MandateMethod } from '#domain/autopay.ts'
import { minuteMs, hourMs, dayMs } from '#domain/durations.ts'
import { paise, type Paise } from '#domain/money.ts'

/** What the simulated provider has: its own account of everything that was asked of it. */

/** A payment link. `closed`: it was cancelled or has expired; its bank can still be slow. */
export type LinkRecord = {
  id: string
  reference: string
  loanId: string
  amountPaise: Paise
  expiresMs: number
  isCancelled: boolean
  payments: MoneyRecord[]
}

/** Money of the borrower at the provider. */
export type MoneyRecord = { id: string; amountPaise: Paise; paidMs: number; refunds: RefundRecord[] }
type RefundRecord = { id: string; key: string; refundId: string; tryNumber: number; amountPaise: Paise; createdMs: number }

/** The page of a mandate, and the mandate once it is approved. */
export type MandateRecord = {
  invoiceId: string
  orderId: string
  customerId: string
  reference: string
  method: MandateMethod
  maximumPaise: Paise
  expiresMs: number
  isCancelled: boolean
  token: TokenRecord | null
}

/** `toldConfirmedMs`: when the provider last answered that it is confirmed; null before. */
type TokenRecord = {
  id: string
  paymentId: string
  status: 'initiated' | 'confirmed' | 'rejected' | 'paused' | 'cancelled'
  toldConfirmedMs: number | null
}

export type OrderRecord = { id: string; receipt: string; amountPaise: Paise; tokenId: string | null; deliveredMs: number | null }

/** What the bank reports of a debit from an instant on. */
type Outcome = { fromMs: number; status: 'captured' | 'failed'; reason: string | null }

/** One debit. `outcomes`: in the order of their times; before the first it is pending. */
export type DebitRecord = {
  money: MoneyRecord
  orderId: string
  mandate: MandateRecord
  loanId: string
  dueOn: string
  requestedMs: number
  outcomes: readonly Outcome[]
  /** From then on a dispute is lost: the bank has taken the money back. */
  returnedMs: number | null
}

/** The latest outcome that is known; null while it is pending. */
export const outcomeAt = ({ outcomes }: DebitRecord, nowMs: number): Outcome | null =>
  outcomes.findLast(({ fromMs }) => fromMs <= nowMs) ?? null

export const isReturned = ({ returnedMs }: DebitRecord, nowMs: number): boolean => returnedMs !== null && returnedMs <= nowMs

/** True if a borrower can pay the link now. */
export const isPayable = (link: LinkRecord, nowMs: number): boolean =>
  !link.isCancelled && link.payments.length === 0 && nowMs < link.expiresMs

export const refundedOf = ({ refunds }: MoneyRecord): Paise => paise(refunds.reduce((sum, { amountPaise }) => sum + amountPaise, 0n))

/** Reasons by what the borrower must do; those that a retry follows by itself come first. */
export const reasons = {
  technical: ['psp_timeout', 'bank_technical_error', 'gateway_technical_error'],
  funds: ['insufficient_funds'],
  other: ['transaction_limit_exceeded', 'debit_instrument_blocked', 'a_reason_nobody_knows'],
} as const

/** What becomes of a debit, by chance: mostly it succeeds. */
export function drawOutcomes(
  below: (end: number) => number,
  method: MandateMethod,
  requestedMs: number,
): Pick<DebitRecord, 'outcomes' | 'returnedMs'> & { wrongAmount: boolean } {
  const first = method === 'upi' ? requestedMs + minuteMs + below(26 * 60) * minuteMs : enachReportMs(requestedMs)
  const soon = method === 'upi' && below(3) > 0 ? requestedMs + minuteMs : first
  const captured = (fromMs: number): Outcome => ({ fromMs, status: 'captured', reason: null })
  const failed = (list: readonly string[]): Outcome => ({ fromMs: soon, status: 'failed', reason: list[below(list.length)] ?? null })
  const none = { returnedMs: null, wrongAmount: false }
  const drawn = below(100)
  if (drawn < 52) return { ...none, outcomes: [captured(soon)] }
  if (drawn < 64) return { ...none, outcomes: [failed(reasons.funds)] }
  if (drawn < 74) return { ...none, outcomes: [failed(reasons.technical)] }
  if (drawn < 80) return { ...none, outcomes: [failed(reasons.other)] }
  if (drawn < 88) {
    const late = soon + 10 * minuteMs + below(4 * 24) * hourMs
    return { ...none, outcomes: [failed(below(2) === 0 ? reasons.funds : reasons.technical), captured(late)] }
  }
  if (drawn < 93) return { ...none, outcomes: [captured(soon)], wrongAmount: true }
  return { ...none, outcomes: [captured(soon)], returnedMs: soon + hourMs + below(3 * 24) * hourMs }
}

/** Banks report an eNACH debit by noon, two working days later. */
function enachReportMs(requestedMs: number): number {
  return startOfDayInIndiaMs(addWorkingDays(dayAtMs(requestedMs), 2, new Set())) + dayMs / 2
}
