import { expect, it } from 'vitest'
import { paise, zeroPaise } from '#domain/money.ts'
import { allowed } from '../samples.testkit.ts'
import { isBelowLinkMinimum, isPayable, listPaymentOptions, principalAfter } from './payment-options.ts'

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

it('offers an overdue amount from ₹1, which a payment link may carry', () => {
  const overdueOf = (amount: bigint) =>
    listPaymentOptions({ ...allowed, overdue_payment: { ...allowed.overdue_payment, amount: paise(amount) } })[0]
  expect([99n, 100n].map((amount) => overdueOf(amount)?.isOffered)).toEqual([false, true])
  expect([0n, 1n, 99n, 100n].map((amount) => isBelowLinkMinimum(paise(amount)))).toEqual([false, true, true, false])
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
