import { describe, expect, it } from 'vitest'
import type { TrailStep } from '#contract/payments.ts'
import { paise } from '#domain/money.ts'
import { link } from '../samples.testkit.ts'
import { findAwaitedStep, isInProgress } from './trail-items.ts'

const step = (name: TrailStep['step'], payment_id?: string): TrailStep => ({
  step: name,
  at: new Date('2026-11-20T05:12:00Z'),
  ...(payment_id !== undefined && { payment_id }),
})
const asked = [step('asked'), step('link_ready')]
const paid = [...asked, step('paid', 'p1'), step('received', 'p1')]
const applied = [...paid, step('applied', 'p1'), step('receipt', 'p1')]

describe('what a payment waits for', () => {
  it.each([
    ['the borrower, while the link is open', 'created', asked, 'payment'],
    ['its posting, once the money is there', 'paid', paid, 'posting'],
    ['its posting too where the provider told no payment yet', 'paid', asked, 'posting'],
    ['nothing, once it is applied', 'paid', applied, null],
    ['nothing, when the link ended without money', 'expired', [...asked, step('expired')], null],
    ['the posting of a second payment', 'paid', [...applied, step('paid', 'p2'), step('received', 'p2')], 'posting'],
    ['its posting, though the link was cancelled before', 'cancelled', [...paid, step('cancelled')], 'posting'],
  ] as const)('%s', (_what, status, steps, expected) => {
    expect(findAwaitedStep(link({ status }), steps)).toBe(expected)
  })
})

describe('a step is under way', () => {
  it('while a refund has not gone', () => {
    const refund = step('refund_asked', 'p1')
    expect(isInProgress(refund, [...applied, refund])).toBe(true)
    expect(isInProgress(refund, [...applied, refund, step('refunded', 'p1')])).toBe(false)
    expect(isInProgress(refund, [...applied, refund, step('refunded', 'p2')])).toBe(true)
    const failed = step('refund_failed', 'p1')
    expect([isInProgress(refund, [refund, failed]), isInProgress(failed, [refund, failed])]).toEqual([false, true])
  })
  it('of several refunds of one payment, while the later ones have not gone', () => {
    const [first, second] = [step('refund_asked', 'p1'), step('refund_asked', 'p1')]
    const steps = [...applied, first, step('refunded', 'p1'), second]
    expect([isInProgress(first, steps), isInProgress(second, steps)]).toEqual([false, true])
    const ended = [...steps, step('refunded', 'p1')]
    expect([isInProgress(first, ended), isInProgress(second, ended)]).toEqual([false, false])
    expect([isInProgress(first, [first, second]), isInProgress(second, [first, second])]).toEqual([true, true])
  })
  it('of refunds of other amounts, while that of its amount has not gone', () => {
    const refund = (name: TrailStep['step'], amountPaise: bigint) => ({ ...step(name, 'p1'), amount: paise(amountPaise) })
    const [large, small] = [refund('refund_asked', 5_000_00n), refund('refund_asked', 2_000_00n)]
    const steps = [...applied, large, small, refund('refund_failed', 2_000_00n)]
    expect([isInProgress(large, steps), isInProgress(small, steps)]).toEqual([true, false])
  })
  it('while somebody looks into it, and not when it is over', () => {
    expect(isInProgress(step('in_review'), [])).toBe(true)
    for (const over of applied) expect(isInProgress(over, applied)).toBe(false)
  })
})
