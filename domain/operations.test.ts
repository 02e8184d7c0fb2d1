import { expect, it } from 'vitest'
import { isReportedByBank, proposalLifetimeMs, reversalCauses } from './operations.ts'

it('a proposal expires after three days', () => {
  expect(proposalLifetimeMs).toBe(3 * 24 * 60 * 60 * 1_000)
})

it('only a bounce and a chargeback are reported by the bank (decision 53)', () => {
  expect(reversalCauses.filter(isReportedByBank)).toEqual(['bounced', 'chargeback'])
})
