import type { Day } from '#domain/calendar.ts'
import { paise, type Paise } from '#domain/money.ts'

/** What an amount field holds, judged (spec §5 'Tranche amount'): whole rupees, more than none, at most what is left. */
export type TrancheAmountCheck = { isValid: true; amount: Paise } | { isValid: false; problem: 'not_an_amount' | 'above_maximum' }

export function checkTrancheAmount(text: string, maximum: Paise | null): TrancheAmountCheck {
  if (!/^[1-9]\d{0,10}$/.test(text)) return { isValid: false, problem: 'not_an_amount' }
  const amount = paise(BigInt(text) * 100n)
  return maximum !== null && amount > maximum ? { isValid: false, problem: 'above_maximum' } : { isValid: true, amount }
}

/** A day may be chosen that the server has offered; one that an earlier request holds may have passed meanwhile. */
export const isOfferedDay = (day: Day | null, offer: { earliest_date: Day; latest_date: Day }): day is Day =>
  day !== null && day >= offer.earliest_date && day <= offer.latest_date
