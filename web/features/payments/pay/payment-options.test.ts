import { expect, it } from 'vitest'
import type { Day } from '#domain/calendar.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import { allowed, row } from '../samples.testkit.ts'
import { isBelowLinkMinimum, isPaidWithLaterEmi, isPayable, listPaymentOptions, principalAfter } from './payment-options.ts'

it('shows overdue, next EMI, part payment, foreclosure, in that order', () => {
  expect(listPaymentOptions(allowed).map(({ kind }) => kind)).toEqual(['overdue', 'next_emi', 'part_payment', 'foreclosure'])
})

it('leaves out what is not offered, and keeps overdue and part payment disabled at zero', () => {
  const { overdue_payment } = allowed
  const part_payment = { min_allowed_amount: zeroPaise, max_allowed_amount: zeroPaise }
  expect(listPaymentOptions({ overdue_payment, part_payment }).map(({ kind, isOffered }) => [kind, isOffered])).toEqual([
    ['overdue', false],
    ['part_payment', false],
  ])
})

it('offers an overdue amount, the next EMI and the foreclosure from ₹1, which a payment link may carry', () => {
  const offered = (count: bigint) => {
    const amount = paise(count)
    const options = listPaymentOptions({
      ...allowed,
      overdue_payment: { ...allowed.overdue_payment, amount },
      next_emi_payment: { ...allowed.next_emi_payment!, amount },
      foreclosure_payment: { ...allowed.foreclosure_payment!, isLimited: false, amount },
    })
    return options.filter(isPayable).map(({ kind }) => kind)
  }
  expect(offered(99n)).toEqual(['part_payment'])
  expect(offered(100n)).toEqual(['overdue', 'next_emi', 'part_payment', 'foreclosure'])
  expect([0n, 1n, 99n, 100n].map((amount) => isBelowLinkMinimum(paise(amount)))).toEqual([false, true, true, false])
})

it('pays less than ₹1 with a later EMI if it is of an EMI, and a later one makes it ₹1', () => {
  const overdue = (dpd: number) => ({ overdue_payment: { ...allowed.overdue_payment, amount: paise(40n), dpd } })
  const nextEmi = (amount: bigint) => ({ next_emi_payment: { ...allowed.next_emi_payment!, amount: paise(amount) } })
  const { overdue_payment: _, next_emi_payment: __, ...last } = allowed
  const schedule = (changes: Partial<typeof allowed>, pending: bigint[] = []) => ({
    // The offer's own EMI is the row of its due date, 5 December.
    repayment_schedule: [row(12), ...pending.map((amount) => row(1, { due_date: '2027-01-05' as Day, pending_amount: paise(amount) }))],
    allowed_payments: { ...allowed, ...changes },
  })
  expect(isPaidWithLaterEmi('overdue', schedule(overdue(3)))).toBe(true)
  // A rest of the last EMI; a charge alone, before any EMI.
  expect(isPaidWithLaterEmi('overdue', { ...schedule({}), allowed_payments: { ...last, ...overdue(3) } })).toBe(false)
  expect(isPaidWithLaterEmi('overdue', schedule(overdue(0)))).toBe(false)
  // The next EMI is itself too small: the one after it, if there is one, contains both.
  expect(isPaidWithLaterEmi('overdue', schedule({ ...overdue(3), ...nextEmi(70n) }))).toBe(false)
  expect(isPaidWithLaterEmi('next_emi', schedule(nextEmi(70n)))).toBe(false)
  expect(isPaidWithLaterEmi('next_emi', schedule(nextEmi(70n), [29n]))).toBe(false)
  expect(isPaidWithLaterEmi('next_emi', schedule(nextEmi(70n), [30n]))).toBe(true)
  expect(isPaidWithLaterEmi('foreclosure', schedule({}))).toBe(false)
})

it('names no principal left after a payoff, whose parts are less by the loan’s credit', () => {
  const left = listPaymentOptions(allowed).map((option) =>
    option.kind === 'part_payment' ? undefined : principalAfter(paise(option.parts.principal + 100n), option),
  )
  expect(left).toEqual([100n, 100n, undefined, null])
})

it('offers a part payment while either of its bounds is above zero', () => {
  for (const part_payment of [
    { min_allowed_amount: zeroPaise, max_allowed_amount: allowed.part_payment.max_allowed_amount },
    { min_allowed_amount: allowed.part_payment.min_allowed_amount, max_allowed_amount: zeroPaise },
  ]) {
    const option = listPaymentOptions({ ...allowed, part_payment }).find(({ kind }) => kind === 'part_payment')
    expect(option?.isOffered).toBe(true)
  }
})

it('does not lead to a link for what one link cannot carry', () => {
  const [overdue, nextEmi, part, foreclosure] = listPaymentOptions(allowed)
  expect([overdue, nextEmi, part, foreclosure].map((option) => isPayable(option!))).toEqual([false, true, true, false])
  const open = listPaymentOptions({ ...allowed, foreclosure_payment: { ...allowed.foreclosure_payment!, isLimited: false } })
  expect(isPayable(open[3]!)).toBe(true)
})
