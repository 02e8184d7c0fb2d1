import type { Day } from './calendar.ts'
import type { LoanFacts, RatePpb } from './loans.ts'

/** The whole, in parts per billion. */
export const wholePpb = 1_000_000_000
const ppbPerPercent = wholePpb / 100

/** The highest plausible yearly rate: 1000 %. */
export const maximumRatePpb: RatePpb = 1_000 * ppbPerPercent

export const percentToPpb = (percent: number): RatePpb => Math.round(percent * ppbPerPercent)
export const ppbToPercent = (ratePpb: RatePpb): number => ratePpb / ppbPerPercent

/**
 * Reads a percentage such as `18` or `11.25`. Null unless it lies between 0 and
 * {@link maximumRatePpb} and has at most seven decimals.
 */
export function parsePercent(text: string): RatePpb | null {
  const match = /^(\d{1,4})(?:\.(\d{1,7}))?$/.exec(text)
  if (match === null) return null
  const ratePpb = Number(`${match[1]}${(match[2] ?? '').padEnd(7, '0')}`)
  return ratePpb <= maximumRatePpb ? ratePpb : null
}

/** The rate of a loan on a day. */
export const rateOn = ({ terms, rateChanges }: Pick<LoanFacts, 'terms' | 'rateChanges'>, day: Day): RatePpb =>
  rateChanges.findLast(({ date }) => date <= day)?.annualRatePpb ?? terms.annualRatePpb
