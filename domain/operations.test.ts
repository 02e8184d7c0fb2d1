import { expect, it } from 'vitest'
import { isReportedByBank, proposalLifetimeMs, reversalCauses } from './operations.ts'

it('a proposal waits for three days', () => {
  expect(proposalLifetimeMs).toBe(3 * 24 * 60 * 60 * 1_000)
})

it('only what has happened at the bank is reported by it (decision 53)', () => {
  expect(reversalCauses.filter(isReportedByBank)).toEqual(['bounced', 'chargeback'])
})
