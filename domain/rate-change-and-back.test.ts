import { expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateAtEndOf } from './loan-state.ts'

/** Found by the torture suite `engine`, seed 47022493. */
it('a rate that changes and changes back on one day leaves the interest one piece, rounded once (decision 20)', () => {
  const terms = termsOf({ annualRatePercent: 10, instalments: 3, firstDueDate: '2026-02-05', interest: 'actual_365' })
  const at = (rate: number) => ({ date: toDay('2026-01-20'), annualRatePpb: rate, keep: 'instalment' as const })
  const interestWith = (rateChanges: ReturnType<typeof at>[], rupees: number) =>
    loanStateAtEndOf(factsOf(terms, [['2026-01-05', rupees]], [], { rateChanges }), toDay('2026-02-05')).rows[0]?.interestPaise
  const amounts = Array.from({ length: 40 }, (_, index) => 1_000 + index * 7)
  const plain = amounts.map((rupees) => interestWith([], rupees))
  expect(amounts.map((rupees) => interestWith([at(130_000_000), at(100_000_000)], rupees))).toEqual(plain)
  expect(amounts.map((rupees) => interestWith([at(100_000_001)], rupees))).not.toEqual(plain)
})
