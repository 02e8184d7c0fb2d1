import { expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import type { LoanFacts } from './loans.ts'
import { rupeesToPaise } from './money.ts'
import { paymentEffect } from './payment-effect.ts'

/** 1,20,000 at 12 % in 12 instalments of 10,662. */
const facts = (payments: LoanFacts['payments']): LoanFacts => ({
  ...factsOf(termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' }), [['2024-01-05', 120_000]], []),
  payments,
})
const payment = (paymentId: string, date: string, rupees: number, more: Partial<LoanFacts['payments'][number]> = {}) => ({
  paymentId,
  date: toDay(date),
  amountPaise: rupeesToPaise(rupees),
  purpose: 'PAY_EMI' as const,
  ...more,
})
const first = payment('first', '2024-02-05', 10_662)
const ids = (...paymentIds: string[]) => new Set(paymentIds)

it('an instalment takes its principal off the balance, and is one fewer', () => {
  expect(paymentEffect(facts([first]), ids('first'))).toEqual({
    receivedPaise: rupeesToPaise(10_662),
    principalBeforePaise: rupeesToPaise(120_000),
    principalAfterPaise: rupeesToPaise(110_538),
    instalmentsLeftBefore: 12,
    instalmentsLeftAfter: 11,
    instalment: null,
  })
})

it('does not change when the loan goes on, also on the same day', () => {
  const alone = paymentEffect(facts([first]), ids('first'))
  const prepaid = payment('prepaid', '2024-02-05', 50_000, { purpose: 'PART_PAYMENT__REDUCE_TENOR' })
  const later = facts([first, prepaid, payment('second', '2024-03-05', 10_662)])
  expect(paymentEffect(later, ids('first'))).toEqual(alone)
  expect(paymentEffect(later, ids('prepaid'))).toEqual({
    receivedPaise: rupeesToPaise(50_000),
    principalBeforePaise: rupeesToPaise(110_538),
    principalAfterPaise: rupeesToPaise(60_538),
    instalmentsLeftBefore: 11,
    instalmentsLeftAfter: 6,
    instalment: null,
  })
})

it('names the instalment that a payment lowered, and its first day, also after later payments', () => {
  const prepaid = payment('prepaid', '2024-02-10', 50_000, { purpose: 'PART_PAYMENT__REDUCE_EMI' })
  const lowered = { beforePaise: rupeesToPaise(10_662), afterPaise: rupeesToPaise(5_340), from: '2024-04-05' }
  expect(paymentEffect(facts([first, prepaid]), ids('prepaid'))?.instalment).toEqual(lowered)
  const later = facts([first, prepaid, payment('second', '2024-03-05', 10_662)])
  expect(paymentEffect(later, ids('prepaid'))?.instalment).toEqual(lowered)
})

it('counts two payments of one link together', () => {
  const half = [payment('half', '2024-02-04', 5_000), payment('rest', '2024-02-05', 5_662)]
  expect(paymentEffect(facts(half), ids('half', 'rest'))).toEqual(paymentEffect(facts([first]), ids('first')))
})

it('leaves out money that goes back to the payer', () => {
  const twice = payment('twice', '2024-02-05', 10_662, { heldPaise: rupeesToPaise(10_662) })
  expect(paymentEffect(facts([first, twice]), ids('first', 'twice'))).toEqual(paymentEffect(facts([first]), ids('first')))
  expect(paymentEffect(facts([first, twice]), ids('twice'))).toBeNull()
})

it('is unknown without the payment, and where the facts do not add up', () => {
  expect(paymentEffect(facts([first]), ids('reversed'))).toBeNull()
  expect(paymentEffect(facts([payment('early', '2024-01-04', 10_662)]), ids('early'))).toBeNull()
  const broken = { ...facts([first]), disbursals: [{ date: toDay('2024-01-05'), amountPaise: rupeesToPaise(-1) }] }
  expect(paymentEffect(broken, ids('first'))).toBeNull()
})
