import type { MandateMethod } from './autopay.ts'
import type { Day } from './calendar.ts'
import { addDays, dayAtMs, dayNumber, dayOfMonth, startOfDayInIndiaMs } from './calendar.ts'
import { minuteMs, hourMs } from './durations.ts'

/** An hour of a day in India, such as 9.5 for 09:30. Milliseconds since 1970 UTC. */
const atHour = (day: Day, hour: number): number => startOfDayInIndiaMs(day) + hour * hourMs

/** A debit is announced at 10:00, two days before it. */
export const announceAtMs = (debitOn: Day): number => atHour(addDays(debitOn, -2), 10)

/**
 * A UPI notification that is not delivered by 05:00 on the day before the debit is sent again by a
 * new order.
 */
export const redeliverAtMs = (debitOn: Day): number => atHour(addDays(debitOn, -1), 5)

/** A cap that is too low for a debit is told seven days before it. */
export const capNoticeDays = 7

/**
 * The time between an announcement and its debit: RBI's 24 hours, and twenty minutes by which the
 * clocks of two servers may differ.
 */
const noticeMs = 24 * hourMs + 20 * minuteMs
/** After a late announcement or a new order: delivery plus 25 hours. */
const lateNoticeMs = 25 * hourMs

/** NPCI executes UPI mandates before 10:00, from 13:00 to 17:00, and after 21:30. */
const upiWindows: readonly (readonly [fromHour: number, toHour: number])[] = [
  [6, 9.5],
  [13, 17],
  [21.5, 23.75],
]
/** An eNACH debit that is presented from 07:00 and before 09:00 counts for the day. */
const enachWindow: readonly [fromHour: number, toHour: number] = [7, 9]
/** A request is sent at the latest this long before its window ends. */
const windowMarginMs = 5 * minuteMs

const windowsOf = (method: MandateMethod) => (method === 'upi' ? upiWindows : [enachWindow])

/** The first instant, from one on, at which a debit may be presented. */
export function nextWindowAtMs(method: MandateMethod, fromMs: number): number {
  for (let day = dayAtMs(fromMs); ; day = addDays(day, 1))
    for (const [fromHour, toHour] of windowsOf(method)) {
      const begin = Math.max(fromMs, atHour(day, fromHour))
      if (begin < atHour(day, toHour) - windowMarginMs) return begin
    }
}

/**
 * When a debit is presented that is announced now: on its own day if there are 24 hours between,
 * else in the first window after 25 hours.
 */
export function presentAtMs(method: MandateMethod, debitOn: Day, announcedMs: number): number {
  const planned = nextWindowAtMs(method, startOfDayInIndiaMs(debitOn))
  return planned >= announcedMs + noticeMs ? planned : nextWindowAtMs(method, announcedMs + lateNoticeMs)
}

/** When a planned debit is presented: it is announced at its time, or now if that is over. */
export const plannedPresentAtMs = (method: MandateMethod, debitOn: Day, nowMs: number): number =>
  presentAtMs(method, debitOn, Math.max(nowMs, announceAtMs(debitOn)))

/**
 * When a debit is presented that cannot be before an instant: on its announced day if a window of
 * it is left, else 24 hours after the borrower is notified of another day.
 *
 * @param nowMs when the borrower is notified.
 */
export function postponedToMs(method: MandateMethod, debitOn: Day, nowMs: number, fromMs = nowMs): number {
  const soonest = nextWindowAtMs(method, fromMs)
  return dayAtMs(soonest) === debitOn ? soonest : nextWindowAtMs(method, Math.max(fromMs, nowMs + noticeMs))
}

/**
 * When a debit is presented whose notification was delivered. One that was delivered in time keeps
 * the announced instant.
 */
export const presentAfterDeliveryAtMs = (
  method: MandateMethod,
  announced: { debitOn: Day; presentMs: number },
  deliveredMs: number,
  nowMs: number,
): number =>
  announced.presentMs >= deliveredMs + noticeMs
    ? announced.presentMs
    : postponedToMs(method, announced.debitOn, nowMs, deliveredMs + lateNoticeMs)

/** Until when the borrower may skip a debit, pause, or cancel before it: an hour before. */
export const changeableUntilMs = (presentMs: number): number => presentMs - hourMs

/** Days on which banks are closed besides weekends. */
export type Holidays = ReadonlySet<Day>

/** Sundays, second and fourth Saturdays, and holidays are no working days of banks. */
export function isWorkingDay(day: Day, holidays: Holidays): boolean {
  // 1970-01-01 was a Thursday.
  const weekday = (dayNumber(day) + 4) % 7
  const week = Math.ceil(dayOfMonth(day) / 7)
  return weekday !== 0 && !(weekday === 6 && (week === 2 || week === 4)) && !holidays.has(day)
}

/** The working day that is `count` working days after a day. */
export function addWorkingDays(day: Day, count: number, holidays: Holidays): Day {
  let reached = day
  for (let left = count; left > 0;) {
    reached = addDays(reached, 1)
    if (isWorkingDay(reached, holidays)) left -= 1
  }
  return reached
}

/** The bank reports a UPI debit within 36 hours. */
const upiResultMs = 36 * hourMs
const enachResultWorkingDays = 2
/** The hour by which banks have reported. */
const reportedByHour = 18

/** By when the outcome of a debit is known: UPI in 36 hours, eNACH after two working days. */
export function expectedByMs(method: MandateMethod, presentedMs: number, holidays: Holidays): number {
  if (method === 'upi') return presentedMs + upiResultMs
  const presented = dayAtMs(presentedMs)
  const countsFor = presentedMs < atHour(presented, enachWindow[1]) ? presented : addDays(presented, 1)
  return atHour(addWorkingDays(countsFor, enachResultWorkingDays, holidays), reportedByHour)
}

/**
 * The last day of a debit whose outcome is known in time for the next one to be announced and
 * presented at its usual hour: until then nothing else is debited, and no payment link is made.
 */
export function lastDebitBefore(method: MandateMethod, nextDebitOn: Day, holidays: Holidays): Day {
  const presentedMs = (day: Day) => nextWindowAtMs(method, startOfDayInIndiaMs(day))
  let day = nextDebitOn
  do day = addDays(day, -1)
  while (presentAtMs(method, nextDebitOn, expectedByMs(method, presentedMs(day), holidays)) > presentedMs(nextDebitOn))
  return day
}
