import { describe, expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { ScheduleInputError, scheduleCommand } from './schedule.ts'

const today = () => toDay('2026-11-20')
const plain = { disbursals: [{ date: '2022-11-01', amount: 5000 }], annual_rate_percent: 12, instalments: 18, first_due_date: '2022-12-01' }

type Output = {
  instalment: number
  rows: {
    due_date: string
    repayment_amount: number
    principal_amount: number
    interest_amount: number
    total_charges: { charge_type: string; total_pending_amount: number }[]
    closing_balance: number
    status: string
  }[]
  dues: number
  dpd: number
  loan_status: string
  allowed_payments: Record<string, Record<string, unknown>>
}

const run = (input: unknown): Output => JSON.parse(scheduleCommand(JSON.stringify(input), today)) as Output

function refusal(input: unknown): string {
  try {
    scheduleCommand(typeof input === 'string' ? input : JSON.stringify(input), today)
  } catch (error) {
    if (error instanceof ScheduleInputError) return error.message
    throw error
  }
  throw new Error('not refused')
}

describe('kist schedule: output', () => {
  it('offers of a part payment what one link carries, as the portal does', () => {
    const large = { ...plain, disbursals: [{ date: '2022-11-01', amount: 2_000_000 }], as_of: '2022-11-01' }
    expect(run(large).allowed_payments['part_payment']?.['max_allowed_amount']).toBe(500_000)
  })
  it('says exactly what the command promises, in rupees', () => {
    const output = run({ ...plain, instalment_rounding: 'rupee_half_even', as_of: '2022-11-01' })
    expect(Object.keys(output)).toEqual(['instalment', 'rows', 'dues', 'dpd', 'loan_status', 'allowed_payments'])
    expect(output.instalment).toBe(305)
    expect(output.rows).toHaveLength(18)
    expect(output.rows[1]).toEqual({
      due_date: '2023-01-01',
      repayment_amount: 305,
      principal_amount: 257.55,
      interest_amount: 47.45,
      total_charges: [],
      closing_balance: 4487.45,
      status: 'Due',
    })
    expect(output.rows[17]).toMatchObject({ repayment_amount: 303.22, closing_balance: 0 })
    expect(output.allowed_payments).toEqual({
      overdue_payment: { amount: 0, dpd: 0 },
      next_emi_payment: { amount: 305, due_date: '2022-12-01' },
      foreclosure_payment: { amount: 5000, isLimited: false },
      part_payment: { min_allowed_amount: 305, max_allowed_amount: 4695 },
    })
  })

  it('counts the due date as the first day past due, at the day’s end', () => {
    expect(run({ ...plain, as_of: '2022-11-30' })).toMatchObject({ dpd: 0, dues: 0, loan_status: 'ACTIVE' })
    expect(run({ ...plain, as_of: '2022-12-01' })).toMatchObject({
      dpd: 1,
      dues: 305,
      loan_status: 'OVERDUE',
      allowed_payments: { overdue_payment: { amount: 305, dpd: 1 } },
    })
  })

  it('leaves out what is not offered', () => {
    const closed = run({
      ...plain,
      as_of: '2022-11-11',
      events: [{ date: '2022-11-11', type: 'payment', amount: 5016.67, purpose: 'FORECLOSURE' }],
    })
    expect(closed.loan_status).toBe('CLOSED')
    expect(closed.allowed_payments).toEqual({
      overdue_payment: { amount: 0, dpd: 0 },
      part_payment: { min_allowed_amount: 0, max_allowed_amount: 0 },
    })
  })

  it('adds up unpaid charges of one type in a row', () => {
    const charges = [
      { date: '2022-11-10', charge_type: 'BOUNCE', amount: 10 },
      { date: '2022-11-11', charge_type: 'BOUNCE', amount: 0.5 },
    ]
    const output = run({ ...plain, charges, as_of: '2022-11-20' })
    expect(output.rows[0]?.total_charges).toEqual([{ charge_type: 'BOUNCE', total_pending_amount: 10.5 }])
    expect(output).toMatchObject({
      dues: 10.5,
      dpd: 0,
      loan_status: 'ACTIVE',
      allowed_payments: { overdue_payment: { amount: 10.5, dpd: 0 } },
    })
  })

  it('answers an array in its order', () => {
    const answers = JSON.parse(scheduleCommand(JSON.stringify([plain, { ...plain, instalments: 6 }]), today)) as Output[]
    expect(answers.map(({ rows }) => rows.length)).toEqual([18, 6])
    expect(scheduleCommand('[]', today)).toBe('[]\n')
  })

  it('takes today in India where as_of is absent', () => {
    expect(run(plain).dpd).toBe(1451)
  })

  it('shows a loan that is only planned as on its first day', () => {
    const output = run({ ...plain, disbursals: [{ date: '2027-01-01', amount: 5000 }], first_due_date: '2027-02-01' })
    expect(output.rows).toHaveLength(18)
    expect(output.loan_status).toBe('ACTIVE')
  })

  it('prints the agreed interest of actual_365 where neither a payment nor a day is told', () => {
    const loan = {
      disbursals: [{ date: '2018-10-25', amount: 500_000 }],
      annual_rate_percent: 11.5,
      instalments: 12,
      first_due_date: '2018-11-25',
      interest: 'actual_365',
      fixed_instalment: 44_307.53,
    }
    const interest = (output: Output): string => output.rows.reduce((sum, row) => sum + row.interest_amount, 0).toFixed(2)
    expect(interest(run(loan))).toBe('31684.22')
    expect(run(loan).rows.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'Late'))
    expect(Number(interest(run({ ...loan, as_of: '2019-10-25' })))).toBeGreaterThan(50_000)
  })

  it('computes what is owed and offered alike where as_of is absent and where it is today', () => {
    const loan = {
      disbursals: [{ date: '2026-01-05', amount: 100_000 }],
      annual_rate_percent: 12,
      instalments: 12,
      first_due_date: '2026-02-05',
      interest: 'actual_365',
    }
    const { rows, ...owed } = run(loan)
    const { rows: rowsToday, ...owedToday } = run({ ...loan, as_of: today() })
    expect(owed).toEqual(owedToday)
    expect(owed.allowed_payments['foreclosure_payment']).toEqual({ amount: 110_487.68, isLimited: false })
    expect(rows.at(-1)?.repayment_amount).toBeLessThan(rowsToday.at(-1)?.repayment_amount ?? 0)
  })

  it('keeps month ends with due_day 31', () => {
    const output = run({ ...plain, first_due_date: '2022-11-30', due_day: 31, instalments: 4, as_of: '2022-11-02' })
    expect(output.rows.map(({ due_date }) => due_date)).toEqual(['2022-11-30', '2022-12-31', '2023-01-31', '2023-02-28'])
  })

  it('is UNKNOWN, with rows but nothing to pay, when money came before the loan', () => {
    const output = run({ ...plain, events: [{ date: '2022-10-31', type: 'payment', amount: 1, purpose: null }], as_of: '2022-11-05' })
    expect(output.loan_status).toBe('UNKNOWN')
    expect(output.rows.map(({ status }) => status)).toEqual(Array.from({ length: 18 }, () => 'Unknown'))
    expect(output.dues).toBe(0)
  })

  it('reproduces two published cases with payments from a file alone', () => {
    const excess = run({
      ...plain,
      instalments: 6,
      interest: 'actual_365',
      instalment_rounding: 'rupee_half_even',
      events: [
        { date: '2022-12-01', type: 'payment', amount: 1000, purpose: 'PART_PAYMENT__REDUCE_TENOR' },
        { date: '2023-01-01', type: 'payment', amount: 2000, purpose: 'PART_PAYMENT__REDUCE_TENOR' },
      ],
      as_of: '2023-01-01',
    })
    expect(excess.rows.map(({ interest_amount, closing_balance }) => [interest_amount, closing_balance])).toEqual([
      [49.32, 4049.32],
      [41.27, 2090.59],
      [21.31, 1249.9],
      [11.51, 399.41],
      [4.07, 0],
    ])
    const tranches = run({
      ...plain,
      disbursals: [
        { date: '2022-11-01', amount: 5000 },
        { date: '2023-01-01', amount: 3000 },
        { date: '2023-03-01', amount: 2000 },
      ],
      instalments: 6,
      fixed_instalment: 1725,
      events: ['2022-12-01', '2023-01-01', '2023-02-01', '2023-03-01'].map((date) => ({
        date,
        type: 'payment',
        amount: 1725,
        purpose: null,
      })),
      as_of: '2023-03-01',
    })
    expect(tranches.rows.map(({ closing_balance }) => closing_balance)).toEqual([3325, 4633.25, 2954.58, 3259.13, 1566.72, 0])
    expect(tranches.rows.at(-1)?.repayment_amount).toBe(1582.39)
  })

  it('sorts what is given out of order', () => {
    const events = [
      { date: '2023-01-01', type: 'payment', amount: 305, purpose: 'PAY_EMI' },
      { date: '2022-12-01', type: 'payment', amount: 305, purpose: null },
    ]
    expect(run({ ...plain, events, as_of: '2023-01-05' })).toMatchObject({ dpd: 0, loan_status: 'ACTIVE' })
  })

  it('answers thousands of loans in a few seconds', () => {
    const input = JSON.stringify(Array.from({ length: 3000 }, () => plain))
    const answers = JSON.parse(scheduleCommand(input, today)) as Output[]
    expect(answers).toHaveLength(3000)
  })
})

describe('kist schedule: refusals name the field in one line', () => {
  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'the input is not JSON'],
    ['no loan', 7, 'must be an object'],
    ['null', 'null', 'must be an object'],
    ['no disbursals', { ...plain, disbursals: undefined }, 'disbursals: is missing'],
    ['an empty list of disbursals', { ...plain, disbursals: [] }, 'disbursals: must hold at least one disbursal'],
    ['a disbursal of nothing', { ...plain, disbursals: [{ date: '2022-11-01', amount: 0 }] }, 'disbursals[0].amount: must be more than 0'],
    ['an amount as text', { ...plain, disbursals: [{ date: '2022-11-01', amount: '5' }] }, 'disbursals[0].amount: must be a number'],
    [
      'three decimals',
      { ...plain, disbursals: [{ date: '2022-11-01', amount: 5.001 }] },
      'disbursals[0].amount: must be rupees with at most two decimals',
    ],
    [
      'a date that is none',
      { ...plain, disbursals: [{ date: '2022-02-30', amount: 5 }] },
      'disbursals[0].date: "2022-02-30" is not a date YYYY-MM-DD',
    ],
    ['a date of two lines', { ...plain, first_due_date: '2022-\n02' }, 'first_due_date: "2022-\\n02" is not a date YYYY-MM-DD'],
    [
      'a negative rate',
      { ...plain, annual_rate_percent: -1 },
      'annual_rate_percent: must be from 0 to 1000 percent, with at most seven decimals',
    ],
    ['no rate', { ...plain, annual_rate_percent: null }, 'annual_rate_percent: is missing'],
    [
      'a due date before the disbursal',
      { ...plain, first_due_date: '2022-10-01' },
      'first_due_date: must be after the first disbursal, 2022-11-01',
    ],
    [
      'a due date on the disbursal',
      { ...plain, first_due_date: '2022-11-01' },
      'first_due_date: must be after the first disbursal, 2022-11-01',
    ],
    ['no instalments', { ...plain, instalments: 0 }, 'instalments: must be a whole number from 1 to 600'],
    ['half an instalment', { ...plain, instalments: 1.5 }, 'instalments: must be a whole number from 1 to 600'],
    [
      'grace over all instalments',
      { ...plain, principal_grace_instalments: 18 },
      'principal_grace_instalments: must be a whole number from 0 to 17',
    ],
    ['a due day of 32', { ...plain, due_day: 32 }, 'due_day: must be a whole number from 1 to 31'],
    ['another interest', { ...plain, interest: 'flat' }, 'interest: must be one of monthly, actual_365'],
    [
      'another rounding',
      { ...plain, instalment_rounding: 'up' },
      'instalment_rounding: must be one of rupee_half_even, rupee_up, paisa_half_even, paisa_up',
    ],
    ['a fixed instalment of 0', { ...plain, fixed_instalment: 0 }, 'fixed_instalment: must be more than 0'],
    [
      'an event of −1',
      { ...plain, events: [{ date: '2022-12-01', type: 'payment', amount: -1 }] },
      'events[0].amount: must be more than 0',
    ],
    ['−1 for an event', { ...plain, events: [-1] }, 'events[0]: must be an object'],
    ['an unknown event', { ...plain, events: [{ date: '2022-12-01', type: 'gift', amount: 1 }] }, 'events[0].type: must be one of payment'],
    [
      'an unknown purpose',
      { ...plain, events: [{ date: '2022-12-01', type: 'payment', amount: 1, purpose: 'GIFT' }] },
      'events[0].purpose: must be one of PAY_EMI, OVERDUE, FORECLOSURE, PART_PAYMENT__REDUCE_EMI, PART_PAYMENT__REDUCE_TENOR',
    ],
    ['events that are no list', { ...plain, events: {} }, 'events: must be a list'],
    ['a charge without a type', { ...plain, charges: [{ date: '2022-12-01', amount: 1 }] }, 'charges[0].charge_type: is missing'],
    [
      'a moratorium over before it began',
      { ...plain, moratorium: { until: '2022-11-01', interest: 'paid' } },
      'moratorium.until: must be after the first disbursal, 2022-11-01',
    ],
    [
      'a rate change that keeps nothing',
      { ...plain, rate_changes: [{ date: '2022-12-01', annual_rate_percent: 1 }] },
      'rate_changes[0].keep: is missing',
    ],
    [
      'amounts too large to be computed exactly',
      { ...plain, annual_rate_percent: 1000, disbursals: [{ date: '2022-11-01', amount: 9_999_999_999_999 }] },
      'the amounts are too large to be computed exactly',
    ],
    ['as_of that is no date', { ...plain, as_of: 'today' }, 'as_of: "today" is not a date YYYY-MM-DD'],
    ['the second of two loans', [plain, { ...plain, instalments: 'six' }], '[1].instalments: must be a number'],
  ])('%s', (_name, input, message) => {
    expect(refusal(input)).toBe(message)
  })
})
