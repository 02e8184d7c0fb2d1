import { describe, expect, it } from 'vitest'
import type { AllowedPayments } from '#contract/loans.ts'
import { paise } from '#domain/money.ts'
import {
  canCreatePayment,
  countdownReducer,
  type Countdown,
  countdownOff,
  isBeingApplied,
  mustRefreshAfterCancel,
  getPaymentsStatus,
  type PaymentsStatus,
  selectDefaultOption,
} from './payments-controller.ts'
import { allowed, link } from './samples.testkit.ts'

const payment = { purpose: 'PAY_EMI', amount: paise(2_501_900n), link: { payment_link_id: 'plink_1' } } as const
const redirectUrl = 'https://pay.example/plink_1'
const created = countdownReducer(countdownOff, { type: 'linkCreated', redirectUrl, payment, seconds: 10 })
const resumed = countdownReducer(countdownOff, { type: 'resumed', redirectUrl, payment, seconds: 10 })
const redirecting = countdownReducer(created, { type: 'redirectNow' })

describe('the status of the payments tab', () => {
  const loads: [Parameters<typeof getPaymentsStatus>[0], PaymentsStatus][] = [
    [{ data: undefined, isError: false }, 'IDLE'],
    [{ data: undefined, isError: true }, 'PENDING_PAYMENT_UNKNOWN'],
    [{ data: link(), isError: false }, 'PENDING_PAYMENT_PRESENT'],
    [{ data: null, isError: false }, 'NO_PENDING_PAYMENT'],
    [{ data: link(), isError: true }, 'PENDING_PAYMENT_PRESENT'],
    [{ data: null, isError: true }, 'NO_PENDING_PAYMENT'],
  ]

  it.each(loads)('%o without a countdown is %s', (load, status) => {
    expect(getPaymentsStatus(load, countdownOff)).toBe(status)
  })

  it.each(loads)('%o with a countdown is PAYMENT_REDIRECT_COUNTDOWN', (load) => {
    expect(getPaymentsStatus(load, created)).toBe('PAYMENT_REDIRECT_COUNTDOWN')
    expect(getPaymentsStatus(load, redirecting)).toBe('PAYMENT_REDIRECT_COUNTDOWN')
  })

  it.each(loads)('%o is found again when the countdown is cancelled', (load, status) => {
    expect(getPaymentsStatus(load, countdownReducer(created, { type: 'cancelled' }))).toBe(status)
  })

  it('lets a payment be created only with nothing pending and a loaded schedule', () => {
    const all: PaymentsStatus[] = [
      'IDLE',
      'PENDING_PAYMENT_UNKNOWN',
      'PENDING_PAYMENT_PRESENT',
      'NO_PENDING_PAYMENT',
      'PAYMENT_REDIRECT_COUNTDOWN',
    ]
    for (const status of all) {
      expect(canCreatePayment(status, true)).toBe(status === 'NO_PENDING_PAYMENT')
      expect(canCreatePayment(status, false)).toBe(false)
    }
  })
})

describe('the countdown', () => {
  it('starts at the configured seconds for a new payment and for a resumed one', () => {
    expect(created).toEqual({ phase: 'counting', secondsLeft: 10, redirectUrl, payment, isNew: true })
    expect(resumed).toEqual({ phase: 'counting', secondsLeft: 10, redirectUrl, payment, isNew: false })
  })

  it('counts 10 to 1, then goes to 0 and redirects', () => {
    const seen: (number | string)[] = []
    let state: Countdown = created
    for (let second = 0; second < 10 && state.phase !== 'off'; second += 1) {
      state = countdownReducer(state, { type: 'secondPassed' })
      if (state.phase !== 'off') seen.push(state.secondsLeft, state.phase)
    }
    expect(seen.slice(0, 2)).toEqual([9, 'counting'])
    expect(seen.slice(-4)).toEqual([1, 'counting', 0, 'redirecting'])
  })

  it('redirects at once when asked', () => {
    expect(redirecting).toMatchObject({ phase: 'redirecting', secondsLeft: 0, redirectUrl })
  })

  it('is left by cancelling, from either phase', () => {
    expect(countdownReducer(created, { type: 'cancelled' })).toEqual(countdownOff)
    expect(countdownReducer(redirecting, { type: 'cancelled' })).toEqual(countdownOff)
  })

  it('refreshes everything after cancelling a new payment, not a resumed one', () => {
    expect(mustRefreshAfterCancel(created)).toBe(true)
    expect(mustRefreshAfterCancel(redirecting)).toBe(true)
    expect(mustRefreshAfterCancel(resumed)).toBe(false)
    expect(mustRefreshAfterCancel(countdownOff)).toBe(false)
  })

  it('ignores what makes no sense where it is', () => {
    for (const type of ['secondPassed', 'redirectNow', 'cancelled'] as const) {
      expect(countdownReducer(countdownOff, { type })).toEqual(countdownOff)
    }
    for (const type of ['secondPassed', 'redirectNow'] as const) {
      expect(countdownReducer(redirecting, { type })).toEqual(redirecting)
    }
    const other = { redirectUrl: 'https://pay.example/other', payment, seconds: 10 }
    expect(countdownReducer(created, { type: 'linkCreated', ...other })).toBe(created)
    expect(countdownReducer(created, { type: 'resumed', ...other })).toBe(created)
    expect(countdownReducer(redirecting, { type: 'resumed', ...other })).toBe(redirecting)
  })
})

describe('the option selected at first', () => {
  const none: AllowedPayments = {
    overdue_payment: { ...allowed.overdue_payment, amount: paise(0n), dpd: 0 },
    part_payment: { min_allowed_amount: paise(0n), max_allowed_amount: paise(0n) },
  }
  const nextEmi = allowed.next_emi_payment!
  const foreclosure = allowed.foreclosure_payment!

  it('is overdue when there is an overdue amount or a day past due', () => {
    const overdue = (amount: bigint, dpd: number) => ({ ...allowed.overdue_payment, amount: paise(amount), dpd })
    expect(selectDefaultOption({ ...allowed, overdue_payment: overdue(1n, 0) })).toBe('overdue')
    // Less than ₹1 of an instalment is part of the next EMI, if there is one.
    expect(selectDefaultOption({ ...allowed, overdue_payment: overdue(99n, 1) })).toBe('next_emi')
    expect(selectDefaultOption({ ...none, overdue_payment: overdue(99n, 1) })).toBe('overdue')
    expect(selectDefaultOption({ ...allowed, overdue_payment: overdue(0n, 1) })).toBe('overdue')
  })

  it('is else the next EMI, else foreclosure, else a part payment, else none', () => {
    const part = (min: bigint, max: bigint) => ({ min_allowed_amount: paise(min), max_allowed_amount: paise(max) })
    expect(selectDefaultOption({ ...none, next_emi_payment: nextEmi, foreclosure_payment: foreclosure })).toBe('next_emi')
    expect(selectDefaultOption({ ...none, foreclosure_payment: foreclosure, part_payment: part(1n, 2n) })).toBe('foreclosure')
    expect(selectDefaultOption({ ...none, part_payment: part(1n, 0n) })).toBe('part_payment')
    expect(selectDefaultOption({ ...none, part_payment: part(0n, 1n) })).toBe('part_payment')
    expect(selectDefaultOption(none)).toBeNull()
  })
})

describe('a pending link', () => {
  it('is being applied when paid and not yet in the ledger', () => {
    expect(isBeingApplied(link({ status: 'paid', rps_updated: false }))).toBe(true)
    expect(isBeingApplied(link({ status: 'paid', rps_updated: true }))).toBe(false)
    expect(isBeingApplied(link({ status: 'created' }))).toBe(false)
    expect(isBeingApplied(link({ status: 'partially_paid' }))).toBe(false)
  })
})
