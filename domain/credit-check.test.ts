import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { creditCheckDay } from './credit-check.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'

/** 30,000 at 12 % in 3 instalments of 10,201, due on the 5th of February, March and April. */
const terms = termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' })
const lookAt = (day: string, ...payments: NonNullable<Parameters<typeof factsOf>[2]>) =>
  creditCheckDay(loanStateDuring(factsOf(terms, [['2024-01-05', 30_000]], payments), toDay(day)), toDay(day))

describe('the day on which credit of a closed loan is looked for (decision 55)', () => {
  it('is today where the loan is closed and has credit', () => {
    expect(lookAt('2024-01-05', ['2024-01-05', 30_000, 'FORECLOSURE'], ['2024-01-05', 1, null])).toBe('2024-01-05')
  })

  it('is no day where it is closed without credit', () => {
    expect(lookAt('2024-04-05', ['2024-01-05', 30_000, 'FORECLOSURE'])).toBeNull()
  })

  it('is the next due date, not today’s, where an active loan has credit', () => {
    expect(lookAt('2024-01-20', ['2024-01-20', 100, null])).toBe('2024-02-05')
    expect(lookAt('2024-02-05', ['2024-02-05', 10_301, null])).toBe('2024-03-05')
  })

  it('is the next due date where all principal is repaid and the interest run is still to fall due', () => {
    expect(lookAt('2024-01-20', ['2024-01-20', 30_000, 'FORECLOSURE'])).toBe('2024-02-05')
  })

  it('is no day where principal is left and there is no credit: time alone makes none', () => {
    expect(lookAt('2024-01-20')).toBeNull()
  })

  it('is the day on which deferred interest becomes principal', () => {
    const deferred = {
      ...terms,
      firstDueDate: toDay('2024-05-05'),
      moratorium: { until: toDay('2024-04-05'), interest: 'deferred' as const },
    }
    const lookAtDeferred = (day: string, rupees = 0) =>
      creditCheckDay(
        loanStateDuring(factsOf(deferred, [['2024-01-05', 30_000]], rupees > 0 ? [[day, rupees, null]] : []), toDay(day)),
        toDay(day),
      )
    expect([lookAtDeferred('2024-01-20'), lookAtDeferred('2024-04-04', 100)]).toEqual(['2024-04-05', '2024-04-05'])
    expect([lookAtDeferred('2024-04-05'), lookAtDeferred('2024-04-05', 100)]).toEqual([null, '2024-05-05'])
  })

  it('is no day after the last due date', () => {
    expect(lookAt('2024-05-01', ['2024-01-05', 30_000, 'FORECLOSURE'])).toBeNull()
  })

  it('is no day for a loan that is not understood, whatever credit it shows', () => {
    expect(lookAt('2024-01-20', ['2023-12-01', 100, null])).toBeNull()
  })
})
