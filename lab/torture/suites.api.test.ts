import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runHistories } from './autopay/histories.ts'
import { autopayRounds } from './autopay/rounds.ts'
import { toResult } from './autopay.ts'
import { crashApi } from './crash-api.ts'
import { crashDb } from './crash-db.ts'
import { history } from './history.ts'
import { operations } from './operations.ts'
import { longerLimits, startPortal, type Portal } from './portal.ts'
import { providerFaults } from './provider-faults.ts'
import { races } from './races.ts'
import type { PortalSuite, TortureOptions } from './suite.ts'
import { webhooks } from './webhooks.ts'

/** Some rounds of each suite of `npm run torture`. */

const deadlineMs = 300_000
const little: TortureOptions = { seed: 1, rounds: 1, cases: 1, short: true, recoveryTimeoutMs: 180_000 }
let portal: Portal

beforeAll(async () => {
  portal = await startPortal({ settings: longerLimits })
}, deadlineMs)
afterAll(() => portal.close(), deadlineMs)

const suites: readonly [suite: PortalSuite, rounds: number, only: RegExp][] = [
  [crashApi, 4, /kill -9 at (link_made|posting_written|refund_answered|random)/],
  [crashDb, 3, /(ended by the database at posting_written|while a payment is applied|kill -9 at random)/],
  [
    races,
    10,
    /(a charge with cancel_link, first comes pay|paid again|the operator records|many tabs|pressed many|cancel_asked, first comes pay|answered, first comes late|posting_written, cancel|poll, webhook)/,
  ],
  [webhooks, 5, /(fifty|four events|order 2301|expired is reported|forged)/],
  [
    providerFaults,
    8,
    /(create: reset_after|cancel: reset_after|webhooks: truncate|holds up no other|25 hours|after the borrower cancelled|a bounce is reported before|23:40 for what is overdue, paid after)/,
  ],
  [history, 1, /seed/],
]

describe('no money is lost or doubled, and nothing broken', () => {
  it.each(suites.map(([suite, rounds, only]) => [suite.name, suite, rounds, only] as const))(
    '%s',
    async (_name, suite, rounds, only) => {
      const { line, failed, detail } = await suite.runOn(portal, { ...little, only })
      expect(detail).toEqual([])
      expect([failed, line]).toEqual([false, expect.stringMatching(/, lost 0, doubled 0, broken 0$/)])
      expect(Number(/rounds (\d+)/.exec(line)?.[1])).toBeGreaterThanOrEqual(rounds)
    },
    deadlineMs,
  )
  it(
    'operations: no self-approval, no stale execution, with the server killed in the execution',
    async () => {
      const { line, detail } = await operations.runOn(portal, { ...little, cases: 40 })
      expect(detail).toEqual([])
      expect(line).toBe('operations: cases 40, self-approved 0, stale-executed 0, lost 0, doubled 0, broken 0')
    },
    deadlineMs,
  )
  it(
    'autopay: some rounds, and the histories in which the planted defects are found',
    async () => {
      const only = /kill -9 at autopay_debit_requested|05:59|compared with the provider/
      const { rounds, findings } = await autopayRounds(portal, { ...little, only })
      const histories = await runHistories({ seed: 1, cases: 40, cluster: inject('cluster') })
      const { line, detail } = toResult(`rounds ${rounds}, cases ${histories.cases}`, [...findings, ...histories.findings])
      expect(detail).toEqual([])
      expect(line).toBe('autopay: rounds 3, cases 40, lost 0, doubled 0, broken 0, unannounced 0, after-close 0, both-open 0')
    },
    deadlineMs,
  )
})
