import { describe, expect, it } from 'vitest'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import { paise, rupeesToPaise, sumPaise } from './money.ts'
import { randomLoan } from './random-loan.testing.ts'
import type { TrancheCircumstances, TrancheStage } from './tranches.ts'
import {
  isOpenTranche,
  refuseAnyChange,
  refuseAnyRequest,
  refuseChange,
  refuseRequest,
  statusesOfStage,
  trancheDates,
  trancheMaximum,
  tranchePreview,
  trancheStages,
  withDisbursal,
} from './tranches.ts'

const today = toDay('2026-11-20')
const asked = (stage: TrancheStage, rupees: number, date = addDays(today, 10)) => ({ stage, amountPaise: rupeesToPaise(rupees), date })
const disbursed = factsOf(termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-12-05' }), [['2026-11-05', 1000]], [], {
  sanctionedPaise: rupeesToPaise(2000),
})
/** Of which a first tranche is requested. */
const undisbursed = { ...disbursed, disbursals: [] }
const loan: TrancheCircumstances = {
  status: 'ACTIVE',
  allowTrancheRequest: true,
  tranches: [asked('released', 1000), asked('approved', 300), asked('rejected', 50)],
  maximumPaise: rupeesToPaise(500),
  facts: disbursed,
  today,
}

describe('a tranche on the wire (decision 40)', () => {
  it('each stage is one pair of statuses', () => {
    expect(trancheStages.map((stage) => [stage, statusesOfStage[stage].status, statusesOfStage[stage].releaseStatus])).toEqual([
      ['requested', 'UNKNOWN', 'NOT_RELEASED'],
      ['approved', 'APPROVED', 'NOT_RELEASED'],
      ['released', 'DISBURSED', 'RELEASED'],
      ['rejected', 'UNKNOWN', 'UNKNOWN'],
    ])
  })

  it('is open, and may be changed, until it is paid out or rejected', () => {
    expect(trancheStages.filter(isOpenTranche)).toEqual(['requested', 'approved'])
  })

  it('may be of what is sanctioned less what is disbursed, approved and requested; never of less than nothing', () => {
    const tranches = [asked('requested', 20), asked('approved', 300), asked('released', 5000), asked('rejected', 7000)]
    expect(trancheMaximum(rupeesToPaise(1000), rupeesToPaise(100), tranches)).toBe(rupeesToPaise(580))
    expect(trancheMaximum(rupeesToPaise(420.01), rupeesToPaise(100), tranches)).toBe(1n)
    expect(trancheMaximum(rupeesToPaise(420), rupeesToPaise(100), tranches)).toBe(0n)
    expect(trancheMaximum(rupeesToPaise(419), rupeesToPaise(100), tranches)).toBe(0n)
    expect(trancheMaximum(rupeesToPaise(1000), rupeesToPaise(0), [])).toBe(rupeesToPaise(1000))
  })
})

describe('asking for a tranche (spec §4 and §5, decision 40)', () => {
  it('may name a day from tomorrow to 30 days from today', () => {
    expect(trancheDates(disbursed, today)).toEqual({ earliest: '2026-11-21', latest: '2026-12-20' })
    const answers = ['2026-11-20', '2026-11-21', '2026-12-20', '2026-12-21'].map((date) => refuseRequest(loan, paise(1n), toDay(date)))
    expect(answers).toEqual(['date_out_of_window', null, null, 'date_out_of_window'])
  })

  it('names a day before the first due date if nothing is disbursed; none is left on the day before', () => {
    const first = { ...loan, facts: undisbursed, tranches: [] }
    expect(trancheDates(undisbursed, today)).toEqual({ earliest: '2026-11-21', latest: '2026-12-04' })
    expect(trancheDates(undisbursed, toDay('2026-11-03')).latest).toBe('2026-12-03')
    expect(refuseRequest(first, paise(1n), toDay('2026-12-04'))).toBeNull()
    expect(refuseRequest(first, paise(1n), toDay('2026-12-05'))).toBe('date_out_of_window')
    expect(refuseAnyRequest({ ...first, today: toDay('2026-12-03') })).toBeNull()
    expect(refuseAnyRequest({ ...first, today: toDay('2026-12-04') })).toBe('no_day_left')
    expect(refuseAnyRequest({ ...loan, today: toDay('2026-12-04') })).toBeNull()
  })

  it('is refused where the loan could not be paid out, such as after a charge', () => {
    const facts = { ...undisbursed, charges: [chargeOf('early', today, 1)] }
    expect(refuseRequest({ ...loan, facts }, paise(1n), addDays(today, 1))).toBe('not_allowed')
    expect(refuseChange({ ...loan, facts }, asked('requested', 100), paise(1n), addDays(today, 1))).toBe('not_allowed')
  })

  it('may be of the maximum, and of no paisa more', () => {
    const date = addDays(today, 1)
    expect(refuseRequest(loan, rupeesToPaise(500), date)).toBeNull()
    expect(refuseRequest(loan, rupeesToPaise(500.01), date)).toBe('above_maximum')
  })

  it('needs an ACTIVE loan that allows it, and no other tranche that waits for a decision', () => {
    expect(refuseAnyRequest(loan)).toBeNull()
    expect((['OVERDUE', 'CLOSED', 'UNKNOWN'] as const).map((status) => refuseAnyRequest({ ...loan, status }))).toEqual([
      'loan_not_active',
      'loan_not_active',
      'loan_not_active',
    ])
    expect(refuseAnyRequest({ ...loan, allowTrancheRequest: false })).toBe('not_allowed')
    expect(refuseAnyRequest({ ...loan, tranches: [...loan.tranches, asked('requested', 1)] })).toBe('one_undecided')
    // What the loan refuses is refused whatever amount and day are.
    expect(refuseRequest({ ...loan, allowTrancheRequest: false }, paise(1n), today)).toBe('not_allowed')
  })
})

describe('changing a tranche (decision 40)', () => {
  const tranche = asked('requested', 100)

  it('its own amount is at its disposal beside the maximum', () => {
    expect(refuseChange(loan, tranche, rupeesToPaise(600), tranche.date)).toBeNull()
    expect(refuseChange(loan, tranche, rupeesToPaise(600.01), tranche.date)).toBe('above_maximum')
  })

  it('needs an ACTIVE loan and an open tranche; a new day lies in the window, an old one may stay', () => {
    expect(refuseAnyChange({ ...loan, status: 'OVERDUE' }, tranche)).toBe('loan_not_active')
    expect(trancheStages.map((stage) => refuseChange(loan, asked(stage, 100), paise(1n), tranche.date))).toEqual([
      null,
      null,
      'not_editable',
      'not_editable',
    ])
    expect(refuseChange(loan, tranche, paise(1n), today)).toBe('date_out_of_window')
    expect(refuseChange(loan, tranche, paise(1n), addDays(today, 1))).toBeNull()
    expect(refuseChange(loan, asked('requested', 100, today), paise(1n), today)).toBeNull()
  })

  it('an approved one is not changed from its day on: the bank may have paid it', () => {
    const dates = [addDays(today, 1), today, addDays(today, -1)]
    expect(dates.map((date) => refuseAnyChange(loan, asked('approved', 100, date)))).toEqual([null, 'day_has_come', 'day_has_come'])
    expect(dates.map((date) => refuseAnyChange(loan, asked('requested', 100, date)))).toEqual([null, null, null])
  })

  it('the first one moves before the first due date, or is not changed', () => {
    const first = { ...loan, facts: undisbursed }
    const late = asked('requested', 100, toDay('2026-12-10'))
    expect(refuseChange(first, late, paise(1n), late.date)).toBe('date_out_of_window')
    expect(refuseChange(first, late, paise(1n), toDay('2026-12-04'))).toBeNull()
    expect(refuseAnyChange({ ...first, today: toDay('2026-12-04') }, late)).toBe('no_day_left')
  })
})

describe('one more disbursal (decision 25)', () => {
  const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' })
  const disbursals = [
    ['2024-01-05', 120_000],
    ['2024-02-20', 60_000],
  ] as const
  const facts = factsOf(terms, disbursals, [['2024-02-05', 10_662]], { sanctionedPaise: rupeesToPaise(1_000_000) })

  it('takes its place in the order of the days, after those of its own day', () => {
    const inserted = (date: string) =>
      withDisbursal(facts, { date: toDay(date), amountPaise: paise(1n) }).disbursals.map(({ amountPaise }) => amountPaise)
    const [first, second] = [12_000_000n, 6_000_000n]
    expect(['2024-01-04', '2024-01-05', '2024-02-19', '2024-02-20', '2024-03-01'].map(inserted)).toEqual([
      [1n, first, second],
      [first, 1n, second],
      [first, 1n, second],
      [first, second, 1n],
      [first, second, 1n],
    ])
  })

  it('is shown with the rows that follow its day and what is left of the loan', () => {
    const { unchanged, changed, rows } = tranchePreview(facts, toDay('2024-03-05'), rupeesToPaise(50_000))
    expect(unchanged).toMatchObject({ nextRow: { number: 3 }, followingRow: { number: 4 }, lastDueDate: '2025-01-05', instalmentsLeft: 10 })
    expect(changed).toMatchObject({ nextRow: { number: 3 }, followingRow: { number: 4 }, lastDueDate: '2025-01-05', instalmentsLeft: 10 })
    expect(changed.nextRow).toEqual(rows[2])
    expect(changed.followingRow).toEqual(rows[3])
    expect(changed.instalmentPaise > unchanged.instalmentPaise).toBe(true)
    expect(unchanged.totalInterestPaise).toBe(
      sumPaise(loanStateDuring(facts, toDay('2024-03-05')).rows.map(({ interestPaise }) => interestPaise)),
    )
  })

  it('counts the interest that becomes principal when EMIs begin', () => {
    const deferred = {
      ...terms,
      firstDueDate: toDay('2024-08-05'),
      moratorium: { until: toDay('2024-07-05'), interest: 'deferred' as const },
    }
    const waiting = { ...factsOf(deferred, [['2024-01-05', 120_000]]), sanctionedPaise: rupeesToPaise(170_000) }
    const { unchanged, changed } = tranchePreview(waiting, toDay('2024-03-05'), rupeesToPaise(50_000))
    const ofRows = (facts: typeof waiting) =>
      sumPaise(loanStateDuring(facts, toDay('2024-07-05')).rows.map(({ interestPaise }) => interestPaise))
    // A month of 1,20,000 and of 50,000 costs 1,200 and 500.
    expect(unchanged.totalInterestPaise).toBe(ofRows(waiting) + rupeesToPaise(6 * 1_200))
    const disbursed = withDisbursal(waiting, { date: toDay('2024-03-05'), amountPaise: rupeesToPaise(50_000) })
    expect(changed.totalInterestPaise).toBe(ofRows(disbursed) + rupeesToPaise(6 * 1_200 + 4 * 500))
  })

  it('after the last due date there is no row without it, and one with it', () => {
    const { unchanged, changed } = tranchePreview(facts, toDay('2025-03-01'), rupeesToPaise(50_000))
    expect(unchanged).toMatchObject({ nextRow: null, followingRow: null, instalmentsLeft: 0, lastDueDate: '2025-01-05' })
    expect(changed).toMatchObject({ nextRow: { dueDate: '2025-03-05' }, followingRow: null, instalmentsLeft: 1 })
  })

  it('of a loan without any there is nothing to show', () => {
    const none = { ...facts, disbursals: [], payments: [], sanctionedPaise: rupeesToPaise(50_000) }
    const { unchanged, changed } = tranchePreview(none, toDay('2024-01-10'), rupeesToPaise(50_000))
    expect(unchanged).toEqual({
      instalmentPaise: 0n,
      nextRow: null,
      followingRow: null,
      lastDueDate: null,
      instalmentsLeft: 0,
      totalInterestPaise: 0n,
    })
    expect(changed).toMatchObject({ nextRow: { number: 1 }, followingRow: { number: 2 }, instalmentsLeft: 12 })
  })

  it('that is paid out as it was shown yields exactly what was shown, for many loans', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { facts: random, last } = randomLoan(seed)
      const amount = rupeesToPaise(10_000)
      const { changed, rows } = tranchePreview(random, last, amount)
      const after = loanStateDuring({ ...random, disbursals: [...random.disbursals, { date: last, amountPaise: amount }] }, last)
      expect({ seed, rows, instalment: changed.instalmentPaise }).toEqual({ seed, rows: after.rows, instalment: after.nextInstalmentPaise })
    }
  })
})
