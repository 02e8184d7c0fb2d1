import { expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { holdsOfReversals } from './facts-store.ts'

/** A transfer of 5 June, recorded on the day after, and reversed on 20 August. */
const reversed = {
  kind: 'repayment',
  source: 'neft',
  purpose: 'PAY_EMI',
  value_date: toDay('2026-06-05'),
  amount_paise: rupeesToPaise(10_000),
  recorded_at: '2026-06-06T06:30:00Z',
  reversed_at: '2026-08-20T06:30:00Z',
  reversed_by: 'staff:1',
  transaction_id: 'transfer',
  quoted_ahead_for: null,
  is_posted_again: false,
}
const loan = { created_at: new Date('2026-01-05T06:30:00Z') }
const takenBack = { paymentId: 'transfer', date: '2026-06-05', amountPaise: rupeesToPaise(10_000), purpose: 'PAY_EMI' }
const hold = { from: '2026-06-06', until: '2026-08-20', takenBack, isReversed: true }

it('money that people recorded holds late charges from when it was recorded until it was reversed', () => {
  expect(holdsOfReversals(loan, [reversed])).toEqual([hold])
})

it('money of an imported loan counted from its value date', () => {
  const imported = { created_at: new Date('2026-06-06T06:30:00Z') }
  expect(holdsOfReversals(imported, [reversed])).toEqual([{ ...hold, from: '2026-06-05' }])
})

it.each([
  ['of a link', { source: 'razorpay' }],
  ['that the provider reported as well', { reversed_by: 'system' }],
  ['that was no payment', { kind: 'refund' }],
  ['that was recorded again', { is_posted_again: true }],
])('money %s holds none', (_which, more) => {
  expect(holdsOfReversals(loan, [{ ...reversed, ...more }])).toEqual([])
})
