import { describe, expect, it } from 'vitest'
import { nothingAllowed } from './allowed-payments.ts'
import { toDay } from './calendar.ts'
import { withinOneLink } from './link-limit.ts'
import { paise, zeroPaise } from './money.ts'
import { paymentLinkStatuses, paymentPurposes, refusePayment, type AllowedPayments, type AmountParts } from './payments.ts'

const partsOf = (principal: bigint): AmountParts => ({
  principalPaise: paise(principal),
  interestPaise: zeroPaise,
  chargesPaise: zeroPaise,
  taxPaise: zeroPaise,
})

const everything: AllowedPayments = {
  overdue: { amountPaise: paise(300n), dpd: 3, parts: partsOf(300n) },
  nextEmi: { amountPaise: paise(200n), dueDate: toDay('2026-12-05'), parts: partsOf(200n) },
  foreclosure: {
    amountPaise: paise(900n),
    isLimited: false,
    parts: partsOf(900n),
    owedParts: partsOf(900n),
    creditPaise: zeroPaise,
    rebatePaise: zeroPaise,
  },
  partPayment: { minPaise: paise(400n), maxPaise: paise(600n) },
  linkMaximumPaise: paise(50_000_000n),
}
const nothing: AllowedPayments = { ...nothingAllowed, linkMaximumPaise: everything.linkMaximumPaise }

describe('purposes and statuses', () => {
  it('are those of the specification, in its spelling', () => {
    expect(paymentPurposes).toEqual(['PAY_EMI', 'OVERDUE', 'FORECLOSURE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'])
    expect(paymentLinkStatuses).toEqual(['created', 'paid', 'partially_paid', 'expired', 'cancelled'])
  })
})

describe('a payment is made for exactly what is offered', () => {
  it.each([
    ['OVERDUE', 300n],
    ['PAY_EMI', 200n],
    ['FORECLOSURE', 900n],
  ] as const)('%s for %s paise', (purpose, amount) => {
    expect(refusePayment(everything, purpose, paise(amount))).toBeNull()
    expect(refusePayment(everything, purpose, paise(amount - 1n))).toBe('wrong_amount')
    expect(refusePayment(everything, purpose, paise(amount + 1n))).toBe('wrong_amount')
    expect(refusePayment(nothing, purpose, paise(amount))).toBe('not_offered')
    expect(refusePayment(nothing, purpose, zeroPaise)).toBe('not_offered')
  })

  it('what is offered at 0 is not offered', () => {
    const atZero = { ...everything, nextEmi: { amountPaise: zeroPaise, dueDate: toDay('2026-12-05'), parts: partsOf(0n) } }
    expect(refusePayment(atZero, 'PAY_EMI', zeroPaise)).toBe('not_offered')
  })

  it.each(['PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'] as const)('%s within its bounds', (purpose) => {
    const answers = [399n, 400n, 600n, 601n].map((amount) => refusePayment(everything, purpose, paise(amount)))
    expect(answers).toEqual(['below_minimum', null, null, 'above_maximum'])
    expect(refusePayment(nothing, purpose, paise(400n))).toBe('not_offered')
  })

  it('and no more than one link may carry', () => {
    const limited = { ...everything, linkMaximumPaise: paise(500n) }
    expect(refusePayment(limited, 'FORECLOSURE', paise(900n))).toBe('above_link_limit')
    expect(refusePayment(limited, 'FORECLOSURE', paise(899n))).toBe('wrong_amount')
    expect(refusePayment(limited, 'PART_PAYMENT__REDUCE_EMI', paise(500n))).toBeNull()
    expect(refusePayment(limited, 'PART_PAYMENT__REDUCE_EMI', paise(501n))).toBe('above_link_limit')
    expect(refusePayment(limited, 'OVERDUE', paise(300n))).toBeNull()
  })
})

describe('what one link may carry', () => {
  const partPayment = (min: bigint, max: bigint, limit: bigint) =>
    withinOneLink({ ...everything, partPayment: { minPaise: paise(min), maxPaise: paise(max) }, linkMaximumPaise: paise(limit) })
      .partPayment

  it('caps a part payment, and takes the offer back where not even the least fits', () => {
    expect(partPayment(400n, 600n, 700n)).toEqual({ minPaise: 400n, maxPaise: 600n })
    expect(partPayment(400n, 600n, 500n)).toEqual({ minPaise: 400n, maxPaise: 500n, isLimited: true })
    expect(partPayment(400n, 600n, 400n)).toEqual({ minPaise: 400n, maxPaise: 400n, isLimited: true })
    expect(partPayment(400n, 600n, 399n)).toEqual({ minPaise: 0n, maxPaise: 0n })
    expect(partPayment(0n, 0n, 500n)).toEqual({ minPaise: 0n, maxPaise: 0n })
    expect(partPayment(0n, 1n, 500n)).toEqual({ minPaise: 0n, maxPaise: 1n })
  })

  it('leaves everything else as it was', () => {
    const limited = { ...everything, linkMaximumPaise: paise(500n) }
    expect(withinOneLink(limited)).toEqual({
      ...limited,
      partPayment: { minPaise: 400n, maxPaise: 500n, isLimited: true },
    })
  })
})
