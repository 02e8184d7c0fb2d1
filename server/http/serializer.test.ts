import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { amount } from '#contract/amount.ts'
import { day, instant } from '#contract/day.ts'
import { loan, readRepaymentSchedule } from '#contract/loans.ts'
import { ongoingPayment } from '#contract/payments.ts'
import type { Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { createSerializer } from './serializer.ts'

const rupees = (text: string) => rupeesToPaise(text)
const on = (text: string) => text as Day
const parts = { principal: rupees('9000.5'), interest: rupees('0.07'), charges: rupees('0'), tax: rupees('0') }

const samples: [name: string, schema: z.ZodMiniType, value: unknown][] = [
  [
    'a loan',
    loan,
    {
      lan: 'KST-24-"1"\n',
      loan_status: 'ACTIVE',
      sanctioned_amount: rupees('10000000000000'),
      disbursed_amount: rupees('0.01'),
      interest_rate: 11.25,
      emi_amount: rupees('1234.5'),
      dues: rupees('0'),
      dpd: 0,
      due_date: null,
      number_of_emis_paid: 3,
      number_of_emis_due: 117,
      lead_id: null,
      partner_loan_id: 'P-1',
      max_tranche_amount: null,
      allow_tranche_request: true,
      title: 'शिक्षा ऋण',
      principal_outstanding: rupees('5'),
      principal_paid: rupees('5'),
      interest_paid: rupees('5'),
      next_emi: { amount: rupees('12'), from: on('2028-02-29') },
      credit_amount: rupees('0'),
      last_due_date: on('2030-12-05'),
      due_day: 5,
      closed_on: null,
      annual_percentage_rate: 11.34,
      upfront_fees: rupees('0'),
      as_of: on('2026-11-20'),
      unknown_field: 'is left out',
    },
  ],
  [
    'a schedule',
    readRepaymentSchedule.response,
    {
      repayment_schedule: [
        {
          due_date: on('2026-12-05'),
          repayment_amount: rupees('1'),
          principal_amount: undefined,
          total_charges: [{ charge_type: 'late', total_pending_amount: rupees('500') }],
          status: 'Late',
          number: 1,
          pending_amount: rupees('1'),
        },
      ],
      allowed_payments: {
        overdue_payment: { amount: rupees('1'), dpd: 2, parts },
        part_payment: { min_allowed_amount: rupees('0'), max_allowed_amount: rupees('0') },
      },
    },
  ],
  [
    'a link',
    ongoingPayment,
    {
      payment_link_id: 'plink_1',
      payment_id: null,
      amount: rupees('1'),
      purpose: 'PAY_EMI',
      status: 'created',
      created_at: new Date('2026-11-20T08:00:00.123Z'),
      redirect_url: 'https://rzp.io/i/1',
      rps_updated: false,
      expires_at: null,
      paid_at: null,
      method: null,
      bank_reference: null,
      quote: null,
    },
  ],
  [
    'what is left to z.encode',
    z.object({ either: z.union([z.string(), z.number()]), short: z.string().check(z.maxLength(3)) }),
    { either: 1, short: 'abc' },
  ],
]

describe('an answer as JSON', () => {
  it.each(samples)('of %s is what z.encode and JSON.stringify write', (_name, response, value) => {
    expect(createSerializer({ response })(value)).toBe(JSON.stringify(z.encode(response, value as never)))
  })

  const wrong: [name: string, schema: z.ZodMiniType, value: unknown][] = [
    ['a negative amount', amount, -1n],
    ['an amount that JSON cannot say', amount, 10n ** 16n],
    ['an amount as a number', amount, 12],
    ['a day that is none', day, '2026-02-30'],
    ['a moment as text', instant, '2026-11-20T08:00:00Z'],
    ['a broken moment', instant, new Date(Number.NaN)],
    ['no number', z.number(), Number.NaN],
    ['part of a whole number', z.int(), 1.5],
    ['a word that is not on the list', z.enum(['a', 'b']), 'c'],
    ['another literal', z.literal(true), false],
    ['text as true', z.boolean(), 'true'],
    ['nothing where something is', z.string(), undefined],
    ['null where something is', z.object({ a: z.string() }), { a: null }],
    ['a missing field', z.object({ a: z.string() }), {}],
    ['no list', z.array(z.string()), { length: 0 }],
    ['a list instead of an object', z.object({}), []],
    ['too long a text', z.string().check(z.maxLength(3)), 'abcd'],
  ]
  it.each(wrong)('refuses %s, as z.encode does', (_name, response, value) => {
    expect(() => z.encode(response, value as never)).toThrow()
    expect(() => createSerializer({ response })(value)).toThrow()
  })
})
