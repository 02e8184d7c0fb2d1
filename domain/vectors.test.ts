import { describe, expect, it } from 'vitest'
import { annualPercentageRate } from './apr.ts'
import { addDays, toDay } from './calendar.ts'
import { specialMentionClass } from './days-past-due.testing.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateAtEndOf } from './loan-state.ts'
import type { LoanState, LoanTerms } from './loans.ts'
import { paiseToRupees, rupeesToPaise, sumPaise } from './money.ts'
import { instalmentUnderTerms } from './schedule.ts'
import annuity from './vectors/annuity.json' with { type: 'json' }
import aprKeyFacts from './vectors/apr-key-facts.json' with { type: 'json' }
import daysPastDue from './vectors/days-past-due.json' with { type: 'json' }
import instalments from './vectors/instalments.json' with { type: 'json' }
import multiDisbursement from './vectors/multi-disbursement.json' with { type: 'json' }
import partPayment from './vectors/part-payment.json' with { type: 'json' }

/** Others' published cases (sources in each file), each by its own convention. */
function vector<Case extends { id: string }>(cases: readonly Case[], id: string): Case {
  const found = cases.find((candidate) => candidate.id === id)
  if (found === undefined) throw new Error(`No vector ${id}`)
  return found
}

type ExpectedRow = { dueDate: string; principal: number; interest: number; due: number; balanceAfter: number }

const shownRows = (state: LoanState): ExpectedRow[] =>
  state.rows.map((row) => ({
    dueDate: row.dueDate,
    principal: paiseToRupees(row.principalPaise),
    interest: paiseToRupees(row.interestPaise),
    due: paiseToRupees(row.repaymentAmountPaise),
    balanceAfter: paiseToRupees(row.closingBalancePaise),
  }))

const totalInterest = (state: LoanState): number => paiseToRupees(sumPaise(state.rows.map(({ interestPaise }) => interestPaise)))

const fineract: Pick<LoanTerms, 'instalmentRounding'> = { instalmentRounding: 'rupee_half_even' }

describe('vectors: annuity', () => {
  it('fin-rs02-declining-monthly', () => {
    const { terms, expected } = vector(annuity, 'fin-rs02-declining-monthly')
    const facts = factsOf(
      termsOf({ annualRatePercent: terms.annual_rate_pct, instalments: terms.n, firstDueDate: '2022-12-01', ...fineract }),
      [[terms.submitted_on ?? '', terms.principal]],
    )
    const state = loanStateAtEndOf(facts, toDay('2022-11-01'))
    expect(shownRows(state)).toEqual(expected.rows)
    expect(totalInterest(state)).toBe(expected.totalInterest)
    expect(paiseToRupees(state.instalmentPaise)).toBe(305)
  })

  it('fin-rs05-principal-grace-3', () => {
    const { terms, expected } = vector(annuity, 'fin-rs05-principal-grace-3')
    const loan = termsOf({
      annualRatePercent: terms.annual_rate_pct,
      instalments: terms.n,
      firstDueDate: '2022-12-01',
      principalGraceInstalments: terms.grace_principal ?? 0,
      ...fineract,
    })
    const state = loanStateAtEndOf(factsOf(loan, [[terms.submitted_on ?? '', terms.principal]]), toDay('2022-11-01'))
    expect(shownRows(state)).toEqual(expected.rows)
    expect(totalInterest(state)).toBe(expected.totalInterest)
    expect(paiseToRupees(state.instalmentPaise)).toBe(50)
    expect(paiseToRupees(state.nextInstalmentPaise)).toBe(361)
  })

  it('ls-annuity-2018', () => {
    const { terms, expected } = vector(annuity, 'ls-annuity-2018')
    const loan = termsOf({
      annualRatePercent: terms.annual_rate_pct,
      instalments: terms.n,
      firstDueDate: '2018-11-25',
      interest: 'actual_365',
      fixedInstalmentPaise: rupeesToPaise(44_307.53),
    })
    const state = loanStateAtEndOf(factsOf(loan, [[terms.issue ?? '', terms.principal]]), toDay('2018-10-25'))
    expect(totalInterest(state)).toBe(expected.total_interest)
  })
})

describe('vectors: part payment', () => {
  const { terms, expected, events } = vector(partPayment, 'fin-rp11-two-excess-REDUCE_TENOR')
  const loan = termsOf({
    annualRatePercent: terms.annual_rate_pct,
    instalments: terms.n,
    firstDueDate: '2022-12-01',
    interest: 'actual_365',
    ...fineract,
  })
  const repayments = events.filter(({ op }) => op === 'repay')
  const facts = factsOf(
    loan,
    [[terms.submitted_on ?? '', terms.principal]],
    repayments.map(({ date, amount }) => [date, amount, 'PART_PAYMENT__REDUCE_TENOR']),
  )
  const repaid = () => loanStateAtEndOf(facts, toDay('2023-01-01'))

  it('fin-rp11-two-excess-REDUCE_TENOR: interest, balance, number of rows and the instalment', () => {
    const state = repaid()
    const rows = shownRows(state)
    expect(rows.map(({ interest }) => interest)).toEqual(expected.rows?.map(({ interest }) => interest))
    expect(rows.map(({ balanceAfter }) => balanceAfter)).toEqual(expected.rows?.map(({ balanceAfter }) => balanceAfter))
    expect(rows.slice(2)).toEqual(expected.rows?.slice(2))
    expect(totalInterest(state)).toBe(expected.totalInterest)
    expect(paiseToRupees(state.instalmentPaise)).toBe(862)
  })

  it('fin-rp11-two-excess-REDUCE_TENOR: its paid rows hold the row and the part payment together', () => {
    const paid = repaid().allocations.map(({ lines }) => ({
      interest: paiseToRupees(sumPaise(lines.filter(({ component }) => component === 'interest').map(({ amountPaise }) => amountPaise))),
      principal: paiseToRupees(sumPaise(lines.filter(({ component }) => component === 'principal').map(({ amountPaise }) => amountPaise))),
    }))
    expect(paid).toEqual(expected.rows?.slice(0, 2).map(({ interest, principal }) => ({ interest, principal })))
  })
})

describe('vectors: multi disbursement', () => {
  it('fin-rp16-three-tranches', () => {
    const { terms, expected, events } = vector(multiDisbursement, 'fin-rp16-three-tranches')
    const loan = termsOf({
      annualRatePercent: terms.annual_rate_pct,
      instalments: terms.n,
      firstDueDate: '2022-12-01',
      fixedInstalmentPaise: rupeesToPaise(1725),
    })
    const facts = factsOf(
      loan,
      events.filter(({ op }) => op === 'disburse').map(({ date, amount }) => [date, amount]),
      events.filter(({ op }) => op === 'repay').map(({ date, amount }) => [date, amount]),
    )
    const state = loanStateAtEndOf(facts, toDay('2023-03-01'))
    expect(shownRows(state)).toEqual(expected.rows)
    expect(totalInterest(state)).toBe(expected.totalInterest)
    expect(state.status).toBe('ACTIVE')
    expect(state.rows.map(({ status }) => status)).toEqual(['Paid', 'Paid', 'Paid', 'Paid', 'Due', 'Due'])
    // The instalment was fixed from the approved amount.
    expect(instalmentUnderTerms({ ...loan, instalmentRounding: 'rupee_half_even' }, loan.annualRatePpb, 1_000_000, 6)).toBe(172_500)
  })
})

describe('vectors: annual percentage rate', () => {
  const { terms, expected } = vector(aprKeyFacts, 'rbi-mfi-annex-ii-iii')
  const loan = termsOf({
    annualRatePercent: terms.annual_rate_pct,
    instalments: terms.n,
    firstDueDate: '2024-02-01',
    instalmentRounding: 'paisa_half_even',
  })
  const facts = factsOf(loan, [['2024-01-01', terms.sanctioned]])

  it('rbi-mfi-annex-ii-iii: the rate', () => {
    const rate = annualPercentageRate(loan, facts.disbursals, rupeesToPaise(expected.fees))
    expect((rate.aprPpb / 10_000_000).toFixed(2)).toBe(expected.apr_pct.toFixed(2))
    expect(paiseToRupees(rate.netDisbursedPaise)).toBe(expected.net_disbursed)
  })

  it('rbi-mfi-annex-ii-iii: the schedule, each cell rounded to the rupee for display', () => {
    const state = loanStateAtEndOf(facts, toDay('2024-01-01'))
    expect(paiseToRupees(state.instalmentPaise)).toBe(expected.epi_exact)
    let opening = terms.sanctioned
    const rows = state.rows.map((row) => {
      const shown = {
        nr: row.number,
        opening: Math.round(opening),
        principal: Math.round(paiseToRupees(row.principalPaise)),
        interest: Math.round(paiseToRupees(row.interestPaise)),
        instalment: Math.round(paiseToRupees(row.repaymentAmountPaise)),
      }
      opening = paiseToRupees(row.closingBalancePaise)
      return shown
    })
    expect(rows).toEqual(expected.schedule)
    expect(Math.round(totalInterest(state))).toBe(expected.total_interest)
  })
})

describe('vectors: days past due', () => {
  it('frappe-dpd-2024', () => {
    const { terms, payments, expected_dpd, due_dates, demand_amounts } = vector(daysPastDue, 'frappe-dpd-2024')
    const loan = termsOf({
      annualRatePercent: terms?.annual_rate_pct ?? 0,
      instalments: terms?.n ?? 0,
      firstDueDate: terms?.first_due ?? '',
    })
    const facts = factsOf(
      loan,
      [[terms?.disbursed ?? '', terms?.principal ?? 0]],
      payments.map(({ date, amount }) => [date, amount]),
    )
    for (const [date, dpd] of Object.entries(expected_dpd ?? {})) {
      const state = loanStateAtEndOf(facts, toDay(date))
      expect({ date, dpd: state.dpd, status: state.status }).toEqual({ date, dpd, status: dpd > 0 ? 'OVERDUE' : 'ACTIVE' })
    }
    const { rows } = loanStateAtEndOf(facts, toDay('2024-11-10'))
    expect(rows.slice(0, 2).map(({ dueDate, repaymentAmountPaise }) => [dueDate, paiseToRupees(repaymentAmountPaise)])).toEqual(
      due_dates.map((date, index) => [date, demand_amounts[index]]),
    )
  })

  it('rbi-sma-2021', () => {
    const { due_dates, expected_class } = vector(daysPastDue, 'rbi-sma-2021')
    const dueDate = toDay(due_dates[0] ?? '')
    const facts = factsOf(termsOf({ annualRatePercent: 0, instalments: 1, firstDueDate: dueDate }), [[addDays(dueDate, -30), 1]])
    for (const [date, expected] of Object.entries(expected_class ?? {})) {
      expect([date, specialMentionClass(loanStateAtEndOf(facts, toDay(date)).dpd)]).toEqual([date, expected])
    }
  })
})

describe('vectors: instalments of 500 real loans', () => {
  it.each(instalments)('row $row: $amount at $rate over $term', (loan) => {
    const terms = termsOf({
      annualRatePercent: Number(loan.rate),
      instalments: loan.term,
      firstDueDate: '2024-01-01',
      instalmentRounding: 'paisa_up',
    })
    expect(instalmentUnderTerms(terms, terms.annualRatePpb, Number(rupeesToPaise(loan.amount)), loan.term)).toBe(
      Number(rupeesToPaise(loan.instalment)),
    )
  })
})
