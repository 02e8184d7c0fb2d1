import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { emiStartNotice, findEmiStart } from './schedule.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import { paise } from './money.ts'

const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05' })
const today = toDay('2026-11-20')
const startOf = (interest: 'paid' | 'deferred', more: Parameters<typeof factsOf>[0] = terms) => {
  const facts = factsOf({ ...more, moratorium: { until: toDay('2027-01-05'), interest } }, [['2026-01-05', 120_000]])
  return findEmiStart(facts, loanStateDuring(facts, today), today)
}

describe('the end of a moratorium', () => {
  it('with interest paid has a last row of interest, and nothing to capitalise', () => {
    expect(startOf('paid')).toMatchObject({
      lastPreEmi: { dueDate: '2027-01-05', repaymentAmountPaise: 120_000n },
      firstEmi: { dueDate: '2027-02-05', repaymentAmountPaise: 1_066_200n },
      capitalised: null,
    })
  })

  it('with deferred interest has no row before, and what is capitalised', () => {
    const start = startOf('deferred')
    expect(start).toMatchObject({ lastPreEmi: null, firstEmi: { dueDate: '2027-02-05' } })
    // Twelve months of simple interest.
    expect(start?.capitalised).toEqual({ date: '2027-01-05', amountPaise: 1_440_000n })
  })

  it('is the first row with principal, after a grace', () => {
    expect(startOf('paid', { ...terms, principalGraceInstalments: 2 })?.firstEmi.dueDate).toBe('2027-04-05')
  })

  it('is nothing once the first EMI falls due, and without a moratorium', () => {
    const plain = factsOf(terms, [['2026-01-05', 120_000]])
    expect(findEmiStart(plain, loanStateDuring(plain, today), today)).toBeNull()
    const facts = factsOf({ ...terms, moratorium: { until: toDay('2027-01-05'), interest: 'paid' } }, [['2026-01-05', 120_000]])
    const day = toDay('2027-02-05')
    expect(findEmiStart(facts, loanStateDuring(facts, day), day)).toBeNull()
  })

  it('is nothing for a loan that was foreclosed before, whose closing row bears the first due date', () => {
    const deferred = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2027-02-05' })
    const moratorium = { until: toDay('2027-01-05'), interest: 'deferred' as const }
    const open = factsOf({ ...deferred, moratorium }, [['2026-11-05', 120_000]])
    const day = toDay('2026-12-20')
    const amountPaise = loanStateDuring(open, day).allowed.foreclosure?.amountPaise ?? paise(0n)
    const facts = { ...open, payments: [{ paymentId: 'p', date: day, amountPaise, purpose: 'FORECLOSURE' as const }] }
    const state = loanStateDuring(facts, day)
    expect([state.status, state.rows.at(-1)?.dueDate]).toEqual(['CLOSED', '2027-02-05'])
    expect(findEmiStart(facts, state, day)).toBeNull()
  })
})

describe('its notices', () => {
  it.each([
    ['2027-01-05', null],
    ['2027-01-06', 30],
    ['2027-01-28', 30],
    ['2027-01-29', 7],
    ['2027-02-04', 7],
    ['2027-02-05', null],
  ] as const)('on %s: %s', (day, days) => {
    expect(emiStartNotice(toDay(day), toDay('2027-02-05'))).toBe(days)
  })
})
