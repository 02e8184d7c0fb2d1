import { expect, it } from 'vitest'
import { decideDebit } from './autopay.ts'
import { toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring, loanStateToPost } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { rupeesToPaise } from './money.ts'
import { paidWhenDue } from './paid-when-due.ts'
import { tranchePreview } from './tranches.ts'

/** ₹6,00,000 at 12 % over 24 months: ₹28,199 due on the 5th. Everything until November is paid. */
const terms = termsOf({
  annualRatePercent: 12,
  instalments: 24,
  firstDueDate: '2026-10-05',
  interest: 'actual_365',
  lateCharge: { graceDays: 3, amountPaise: rupeesToPaise(500) },
})
const facts = factsOf(
  terms,
  [['2026-09-05', 600_000]],
  [
    ['2026-10-05', 28_199, 'PAY_EMI'],
    ['2026-11-05', 28_199, 'PAY_EMI'],
  ],
  { sanctionedPaise: rupeesToPaise(900_000) },
)

it('a debit is for its own instalment alone, while the one before is not overdue', () => {
  const debitOn = toDay('2027-01-05')
  const expected = paidWhenDue(facts, toDay('2026-12-03'), debitOn)
  expect(decideDebit(expected, loanStateToPost(expected, debitOn), debitOn, rupeesToPaise(100_000))).toEqual({
    kind: 'debit',
    amountPaise: rupeesToPaise(28_199),
    parts: [{ kind: 'instalment', dueDate: debitOn, amountPaise: rupeesToPaise(28_199) }],
  })
})

it('credit pays its part of the instalment before, and is not counted twice', () => {
  const debitOn = toDay('2027-01-05')
  const [first, second] = facts.payments
  const withCredit = { ...facts, payments: [first!, { ...second!, amountPaise: rupeesToPaise(33_199), purpose: null }] }
  const expected = paidWhenDue(withCredit, toDay('2026-12-03'), debitOn)
  expect(decideDebit(expected, loanStateToPost(expected, debitOn), debitOn, rupeesToPaise(100_000))).toMatchObject({
    amountPaise: rupeesToPaise(28_199),
  })
})

it('charges that are unpaid are paid with the instalment before, also where they come first', () => {
  const debitOn = toDay('2027-01-05')
  for (const allocation of ['instalments_first', 'charges_first'] as const) {
    const charged = { ...facts, terms: { ...terms, allocation }, charges: [chargeOf('bounce', '2026-11-20', 590)] }
    const expected = paidWhenDue(charged, toDay('2026-12-03'), debitOn)
    expect(decideDebit(expected, loanStateToPost(expected, debitOn), debitOn, rupeesToPaise(100_000))).toMatchObject({
      amountPaise: rupeesToPaise(28_199),
    })
  }
})

it('an instalment whose debit is at the bank counts as paid, although its day is over', () => {
  const [first] = facts.payments
  const debitOn = toDay('2026-12-05')
  const late = { ...facts, payments: [first!] }
  const debit = { from: toDay('2026-11-05'), until: null, dueDates: [toDay('2026-11-05')] }
  const amountOf = (holds: NonNullable<LoanFacts['lateChargeHolds']>) => {
    const expected = paidWhenDue({ ...late, lateChargeHolds: holds }, toDay('2026-11-06'), debitOn)
    const decision = decideDebit(expected, loanStateToPost(expected, debitOn), debitOn, rupeesToPaise(100_000))
    return decision.kind === 'debit' ? decision.parts.map(({ amountPaise }) => amountPaise) : []
  }
  expect(amountOf([debit])).toHaveLength(1)
  expect(amountOf([{ ...debit, dueDates: [toDay('2026-10-05')] }])).toHaveLength(3)
  // Its outcome is known: it has failed.
  expect(amountOf([{ ...debit, until: toDay('2026-11-06') }])).toHaveLength(3)
})

it('nothing is assumed while an instalment is overdue', () => {
  const [first] = facts.payments
  const overdue = { ...facts, payments: [first!] }
  expect(paidWhenDue(overdue, toDay('2026-12-03'), toDay('2027-01-05'))).toBe(overdue)
})

it('a tranche changes the loan as its preview says, once the instalment before it is paid on time', () => {
  const [today, date, due] = [toDay('2026-11-27'), toDay('2026-12-20'), toDay('2026-12-05')]
  const preview = tranchePreview(paidWhenDue(facts, today, date), date, rupeesToPaise(200_000))
  const pending = loanStateDuring(facts, today).rows.find(({ dueDate }) => dueDate === due)?.repaymentAmountPaise
  const paid = { ...facts, payments: [...facts.payments, { paymentId: 'p3', date: due, amountPaise: pending!, purpose: null }] }
  expect(preview).toEqual(tranchePreview(paid, date, rupeesToPaise(200_000)))
  expect(preview.rows.map(({ status }) => status).slice(0, 4)).toEqual(['Paid', 'Paid', 'Paid', 'Due'])
})

it('what falls due on the day itself is expected to be paid on it', () => {
  const due = toDay('2026-12-05')
  expect(paidWhenDue(facts, due, toDay('2027-01-05')).payments.slice(2)).toEqual([
    { paymentId: `assumed:${due}`, date: due, amountPaise: rupeesToPaise(28_199), purpose: null },
  ])
})
