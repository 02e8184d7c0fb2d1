import { describe, expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import rateResets from '#domain/vectors/rate-resets.json' with { type: 'json' }
import { ScheduleInputError, scheduleCommand } from './schedule.ts'

/**
 * Resets worked out by hand. `working` holds each instalment and number of instalments as a
 * spreadsheet formula with its result; each row, the formula of its interest. The rest of a row
 * follows: principal is the instalment less interest, the last row repays what is left.
 */
type Row = { due_date: string; interest_amount: number; principal_amount: number; repayment_amount: number; closing_balance: number }

const today = () => toDay('2026-11-20')

const rowsOf = (input: unknown): Row[] =>
  (JSON.parse(scheduleCommand(JSON.stringify(input), today)) as { rows: Row[] }).rows.map(
    ({ due_date, interest_amount, principal_amount, repayment_amount, closing_balance }) => ({
      due_date,
      interest_amount,
      principal_amount,
      repayment_amount,
      closing_balance,
    }),
  )

/** The value of a sum of products and quotients, each rounded to the paisa. */
function valueOf(formula: string): number {
  const terms = formula.slice(1).split('+')
  const paise = terms.map((term) => {
    const [, product = ''] = /^ROUND\(([\d.*/]+),2\)$/.exec(term) ?? []
    const [first = '', ...rest] = product.split(/(?=[*/])/)
    const value = rest.reduce((so, next) => (next.startsWith('*') ? so * Number(next.slice(1)) : so / Number(next.slice(1))), Number(first))
    return Math.round(Number((value * 100).toFixed(6)))
  })
  return paise.reduce((sum, part) => sum + part, 0) / 100
}

describe('vectors: rate resets', () => {
  it.each(rateResets.map((vector) => [vector.id, vector] as const))('kist schedule prints the rows of %s', (_id, { input, rows }) => {
    expect(rowsOf(input)).toEqual(rows.map(({ interest_formula: _formula, ...row }) => row))
  })

  it('the interest of each row is what its formula says', () => {
    const rows = rateResets.flatMap((vector) => vector.rows)
    expect(rows.map(({ interest_formula }) => valueOf(interest_formula))).toEqual(rows.map(({ interest_amount }) => interest_amount))
  })
})

describe('kist schedule: the instalment of a rate change', () => {
  const loan = {
    disbursals: [{ date: '2025-01-05', amount: 120_000 }],
    annual_rate_percent: 12,
    instalments: 12,
    first_due_date: '2025-02-05',
  }
  const given = (instalment: unknown, more: Record<string, unknown> = {}) => ({
    ...loan,
    rate_changes: [{ date: '2025-04-05', annual_rate_percent: 18, keep: 'both', instalment, ...more }],
  })
  const refusal = (input: unknown): string => {
    try {
      scheduleCommand(JSON.stringify(input), today)
    } catch (error) {
      if (error instanceof ScheduleInputError) return error.message
      throw error
    }
    return 'accepted'
  }

  it.each([
    ['none', given(undefined), 'rate_changes[0].instalment: is missing'],
    ['text', given('9000'), 'rate_changes[0].instalment: must be a number'],
    ['three decimals', given(9000.001), 'rate_changes[0].instalment: must be rupees with at most two decimals'],
    ['nothing', given(0), 'rate_changes[0].instalment: must be more than 0'],
    [
      'an instalment that is kept',
      given(9000, { keep: 'tenor' }),
      'rate_changes[0].instalment: is given only if keep is "both", not "tenor"',
    ],
    ['another word', given(9000, { keep: 'neither' }), 'rate_changes[0].keep: must be one of instalment, tenor, both'],
    ['a month’s interest', given(1369.94), "rate_changes[0].instalment: must be more than a month's interest, 1369.94"],
    ['a day before the loan', given(9000, { date: '2025-01-04' }), 'rate_changes[0].instalment: is given before the first disbursal'],
    ['a paisa more than a month’s interest', given(1369.95), 'rate_changes[0].instalment: would take more than 600 instalments'],
    ['enough', given(1371), 'accepted'],
    [
      'by days, less than the interest of 31 days',
      { ...given(1395), interest: 'actual_365' },
      "rate_changes[0].instalment: must be more than a month's interest, 1395.93",
    ],
    ['in the last month, where it changes nothing', given(1, { date: '2025-12-20' }), 'accepted'],
    ['at no interest', given(0.01, { annual_rate_percent: 0 }), 'rate_changes[0].instalment: would take more than 600 instalments'],
  ])('%s', (_name, input, message) => {
    expect(refusal(input)).toBe(message)
  })

  it('the second of two changes is refused by its own day', () => {
    const second = { date: '2025-06-05', annual_rate_percent: 24, keep: 'both', instalment: 1200 }
    expect(refusal({ ...given(5000), rate_changes: [...given(5000).rate_changes, second] })).toBe(
      "rate_changes[1].instalment: must be more than a month's interest, 1680.29",
    )
  })
})
