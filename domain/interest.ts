import { shareHalfEven } from './money.ts'
import type { RatePpb } from './loans.ts'
import { wholePpb } from './rates.ts'

/** A share of a balance in lowest terms, so that products with a balance stay small. */
export type Ratio = { numerator: number; denominator: number }

const monthsPerYear = 12
/** In leap years too (decision 20). */
const daysPerYear = 365

function lowestTerms(numerator: number, denominator: number): Ratio {
  let divisor = denominator
  let rest = numerator
  while (rest !== 0) {
    const next = divisor % rest
    divisor = rest
    rest = next
  }
  return { numerator: numerator / divisor, denominator: denominator / divisor }
}

/** The share of a balance that a yearly rate charges for a whole month. */
export const monthlyRatio = (rate: RatePpb): Ratio => lowestTerms(rate, wholePpb * monthsPerYear)

/** The share of a balance that a yearly rate charges for one day. */
export const dailyRatio = (rate: RatePpb): Ratio => lowestTerms(rate, wholePpb * daysPerYear)

/** The periodic rate from which `actual_365` computes its instalment: thirty days. */
export const thirtyDayRatio = (rate: RatePpb): Ratio => lowestTerms(rate * 30, wholePpb * daysPerYear)

/**
 * Interest of whole months or days at one balance and one rate, in paise, rounded half-even once
 * (decision 20).
 */
export const interestFor = (balancePaise: number, share: Ratio, times: number): number =>
  shareHalfEven(balancePaise, share.numerator * times, share.denominator)

/**
 * Interest of part of a month in paise: a month's interest × its days ÷ the month's days, rounded
 * half-even once (decision 20).
 */
export const interestForPartOfMonth = (balancePaise: number, month: Ratio, days: number, daysOfMonth: number): number =>
  shareHalfEven(balancePaise, month.numerator * days, month.denominator * daysOfMonth)
