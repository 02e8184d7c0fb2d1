import type { Day } from './calendar.ts'
import { addDays, addMonths } from './calendar.ts'
import type { RateChange, RatePpb } from './loans.ts'
import type { Paise } from './money.ts'

/**
 * A reset of a floating rate: when it is notified, chosen and effective (RBI, 18 Aug 2023,
 * docs/decisions/0196). What it offers is in reset-offer.ts.
 */

/**
 * `computed`: the run has found the new rate. `notified`: the borrower can choose. `chosen` and
 * `defaulted`: the rate change is a fact of the loan. `effective`: its day has come. `withdrawn`:
 * the lender took it back before that day.
 */
export const resetStates = ['computed', 'notified', 'chosen', 'defaulted', 'effective', 'withdrawn'] as const
type ResetState = (typeof resetStates)[number]
/** `effective` follows from the day, so it is not stored. */
export type StoredResetState = Exclude<ResetState, 'effective'>

/** What the borrower can choose. `part_payment`: keeps both EMI and tenor. */
export const resetChoices = ['keep_emi', 'keep_tenor', 'between', 'part_payment'] as const
export type ResetChoice = (typeof resetChoices)[number]

/** A borrower is notified at least this many days before the new rate. */
export const resetNoticeDays = 15

/** The longest time from a run to the new rate, in days. */
export const resetAheadDaysMax = 180

/** The last day on which the borrower can choose. */
export const chooseUntil = (effectiveOn: Day): Day => addDays(effectiveOn, -1)

/** The last day on which the borrower can be notified. */
export const notifyUntil = (effectiveOn: Day): Day => addDays(effectiveOn, -resetNoticeDays)

/** True from the day on which the new rate counts. */
const isEffective = (state: StoredResetState, effectiveOn: Day, today: Day): boolean =>
  effectiveOn <= today && (state === 'chosen' || state === 'defaulted')

/** The state of a reset on a day: `effective` from the day on which its new rate counts. */
export const resetStateOn = (state: StoredResetState, effectiveOn: Day, today: Day): ResetState =>
  isEffective(state, effectiveOn, today) ? 'effective' : state

export type ResetRefusal = 'too_late' | 'withdrawn' | 'not_notified'

/**
 * Why a borrower cannot choose on a day. Null if they can: once, or again until the last day, also
 * after the default was written on its evening.
 */
export function refuseChoice(state: StoredResetState, effectiveOn: Day, today: Day): ResetRefusal | null {
  if (state === 'withdrawn') return 'withdrawn'
  if (state === 'computed') return 'not_notified'
  return today > chooseUntil(effectiveOn) ? 'too_late' : null
}

/** Why the lender cannot withdraw a reset on a day. Null if they can. */
export function refuseWithdrawal(state: StoredResetState, effectiveOn: Day, today: Day): 'too_late' | 'withdrawn' | null {
  if (state === 'withdrawn') return 'withdrawn'
  return effectiveOn <= today ? 'too_late' : null
}

/** What stays when the rate changes: the part of a rate change that the choice decides. */
export type ResetDecision = { keep: 'instalment' | 'tenor' } | { keep: 'both'; instalmentPaise: Paise }

/** The rate change that a decision writes. */
export const rateChangeOf = (reset: { effectiveOn: Day; toRatePpb: RatePpb }, decision: ResetDecision): RateChange => ({
  date: reset.effectiveOn,
  annualRatePpb: reset.toRatePpb,
  ...decision,
})

/**
 * True if the rate of a loan may be reset on a day: at least `months` after its sanction, and at
 * least `months` from every other change of its rate.
 *
 * @param changeDays the days of its rate changes and of its resets that are not decided yet.
 */
export function isResetDue(
  { sanctionedOn, changeDays }: { sanctionedOn: Day; changeDays: readonly Day[] },
  months: number,
  effectiveOn: Day,
): boolean {
  const isApart = (day: Day): boolean =>
    day <= effectiveOn ? addMonths(day, months) <= effectiveOn : addMonths(effectiveOn, months) <= day
  return addMonths(sanctionedOn, months) <= effectiveOn && changeDays.every(isApart)
}

type Benchmark = { annualRatePpb: RatePpb; effectiveOn: Day }

/** The benchmark's rate on a day plus the spread. Null before the first rate, or below 0. */
export function floatingRateOn(benchmarks: readonly Benchmark[], spreadPpb: number, day: Day): RatePpb | null {
  const latest = benchmarks
    .filter(({ effectiveOn }) => effectiveOn <= day)
    .reduce<Benchmark | null>((last, one) => (last === null || one.effectiveOn > last.effectiveOn ? one : last), null)
  const rate = latest === null ? -1 : latest.annualRatePpb + spreadPpb
  return rate < 0 ? null : rate
}
