import { expect, it } from 'vitest'
import { toDay, type Day } from '#domain/calendar.ts'
import { factsOf, termsOf } from '#domain/facts.testing.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { zeroPaise } from '#domain/money.ts'
import type { CollectionRow } from './collection-store.ts'
import { findRetryDays } from './find-retry-days.ts'
import type { MandateRow } from './mandate-store.ts'

const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05' })
const failed = {
  collection_id: 'c1',
  mandate_id: 'm1',
  status: 'failed',
  failure_class: 'funds',
  due_on: toDay('2026-02-05'),
  debit_on: toDay('2026-02-05'),
  first_debit_on: toDay('2026-02-05'),
  attempt: 1,
  created_at: new Date('2026-02-01T04:30:00Z'),
} as CollectionRow
const around = {
  mandates: [{ mandate_id: 'm1', status: 'active', method: 'upi' } as MandateRow],
  holidays: new Set<Day>(),
  collections: [failed],
  now: new Date('2026-02-06T06:00:00Z'),
}

it('a failed debit can be tried again while its instalment is unpaid', () => {
  const facts = factsOf(terms, [['2026-01-05', 100_000]])
  expect(findRetryDays(failed, { ...around, facts })).toMatchObject({ from: toDay('2026-02-08') })
})

it.each([
  ['upi', '2026-03-02'],
  // An eNACH debit has its outcome after two working days.
  ['emandate', '2026-03-01'],
] as const)('by %s, until its outcome is known before the next debit is announced', (method, until) => {
  const facts = factsOf(terms, [['2026-01-05', 100_000]])
  const next = { ...failed, collection_id: 'c2', status: 'planned', due_on: toDay('2026-03-05'), debit_on: toDay('2026-03-05') } as const
  const mandates = [{ mandate_id: 'm1', status: 'active', method } as MandateRow]
  expect(findRetryDays(failed, { ...around, mandates, collections: [failed, next], facts })?.until).toBe(until)
})

it('not while the lender checks the loan', () => {
  const charge = { chargeId: 'x', date: toDay('2026-02-01'), chargeType: 'OTHER', amountPaise: zeroPaise, penal: false, waivedOn: null }
  const facts = factsOf(terms, [['2026-01-05', 100_000]], [], { charges: [charge] })
  const { status, rows } = loanStateDuring(facts, toDay('2026-02-06'))
  expect([status, rows[0]?.status]).toEqual(['UNKNOWN', 'Unknown'])
  expect(findRetryDays(failed, { ...around, facts })).toBeNull()
})
