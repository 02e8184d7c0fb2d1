import type { LoanTerms } from './loans.ts'
import type { Ratio } from './interest.ts'
import { divideHalfEven, divideUp } from './money.ts'

type InstalmentRounding = LoanTerms['instalmentRounding']

function roundInstalment(dividend: bigint, divisor: bigint, rounding: InstalmentRounding): bigint {
  switch (rounding) {
    case 'rupee_half_even':
      return divideHalfEven(dividend, divisor * 100n) * 100n
    case 'rupee_up':
      return divideUp(dividend, divisor * 100n) * 100n
    case 'paisa_half_even':
      return divideHalfEven(dividend, divisor)
    case 'paisa_up':
      return divideUp(dividend, divisor)
  }
}

/**
 * The equated instalment that repays a principal in `count` periods, in paise: principal × i × (1 +
 * i)ⁿ ÷ ((1 + i)ⁿ − 1) as an exact fraction, rounded once by the product's rule. At a rate of zero
 * it is principal ÷ n. `count` is at least 1.
 */
export function equatedInstalment(principalPaise: number, periodRate: Ratio, count: number, rounding: InstalmentRounding): number {
  const principal = BigInt(principalPaise)
  if (periodRate.numerator === 0) return Number(roundInstalment(principal, BigInt(count), rounding))
  const numerator = BigInt(periodRate.numerator)
  const denominator = BigInt(periodRate.denominator)
  const periods = BigInt(count)
  const grown = (numerator + denominator) ** periods
  const dividend = principal * numerator * grown
  const divisor = denominator * (grown - denominator ** periods)
  return Number(roundInstalment(dividend, divisor, rounding))
}
