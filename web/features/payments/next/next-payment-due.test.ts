import { describe, expect, it } from 'vitest'
import type { Collection, Mandate } from '#contract/autopay.ts'
import type { Loan } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import { allowed, row } from '../samples.testkit.ts'
import { findDebitOf, findNextDue } from './next-payment-due.ts'

const on = (text: string) => text as Day
const loan = (changes: Partial<Loan> = {}) =>
  ({ loan_status: 'ACTIVE', dpd: 0, dues: zeroPaise, emi_amount: paise(2_501_900n), due_date: on('2026-12-05'), ...changes }) as Loan
const schedule = (changes: Partial<typeof allowed> = {}, rows = [row(12)]) => ({
  repayment_schedule: rows,
  allowed_payments: { ...allowed, ...changes },
})
const overdue = (dpd: number) => ({ overdue_payment: { ...allowed.overdue_payment, amount: paise(950_000n), dpd } })

describe('what to pay next', () => {
  it('is what is overdue, since the oldest unpaid EMI, before everything else', () => {
    const late = loan({ loan_status: 'OVERDUE', dpd: 12, due_date: on('2026-11-11') })
    expect(findNextDue(late, schedule(overdue(12)))).toEqual({ kind: 'overdue', amount: 950_000n, since: '2026-11-11', isLimited: false })
  })

  it('is a charge alone, which has no day since which it is late', () => {
    expect(findNextDue(loan(), schedule(overdue(0)))).toEqual({ kind: 'overdue', amount: 950_000n, since: null, isLimited: false })
  })

  it('is the next EMI of the payment options', () => {
    expect(findNextDue(loan(), schedule())).toEqual({ kind: 'next_emi', amount: 2_501_900n, dueDate: '2026-12-05', isLimited: false })
  })

  it('is the first EMI, not payable yet, while the lender offers none', () => {
    const rows = [row(1, { status: 'Paid' }), row(2, { pending_amount: paise(100n) })]
    const { next_emi_payment: _, ...rest } = allowed
    expect(findNextDue(loan(), { repayment_schedule: rows, allowed_payments: rest })).toEqual({
      kind: 'upcoming',
      amount: 100n,
      dueDate: '2026-02-05',
      isLimited: false,
    })
    expect(findNextDue(loan(), { repayment_schedule: [], allowed_payments: rest })).toBeNull()
  })

  it('is taken from the summary while the schedule is missing', () => {
    expect(findNextDue(loan(), undefined)).toEqual({ kind: 'upcoming', amount: 2_501_900n, dueDate: '2026-12-05', isLimited: false })
    const late = loan({ dpd: 3, dues: paise(777n), due_date: on('2026-11-20') })
    expect(findNextDue(late, undefined)).toEqual({ kind: 'overdue', amount: 777n, since: '2026-11-20', isLimited: false })
    expect(findNextDue(loan({ due_date: null }), undefined)).toBeNull()
  })

  it('is nothing for a closed loan', () => {
    expect(findNextDue(loan({ loan_status: 'CLOSED' }), schedule())).toBeNull()
  })
})

describe('the debit that a loan page speaks of', () => {
  const due = { kind: 'next_emi', amount: paise(900_000n), dueDate: on('2026-12-05'), isLimited: false } as const
  const find = (collection: Partial<Collection> | null, status: Mandate['status'] = 'active') =>
    findDebitOf(due, {
      mandate: { status } as Mandate,
      next_collection: collection && ({ amount: due.amount, ...collection } as Collection),
    })

  it.each(['announced', 'presented'] as const)('is one that is %s', (status) => {
    expect(find({ status })).toMatchObject({ status })
  })

  it('is none that is only planned', () => {
    expect([find(null), find({ status: 'planned' })]).toEqual([null, null])
  })

  it('is none of a part, as under a cap', () => {
    expect(find({ status: 'announced', amount: paise(899_999n) })).toBeNull()
  })

  it.each(['paused', 'ending', 'ended'] as const)(
    'is none that was announced before the mandate was %s, but one that the bank is making',
    (status) => {
      expect(find({ status: 'announced' }, status)).toBeNull()
      expect(find({ status: 'presented' }, status)).not.toBeNull()
    },
  )
})
