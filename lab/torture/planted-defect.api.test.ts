import { expect, it } from 'vitest'
import { withDefect, type PlantedDefect } from './planted-defect.ts'
import { startPortal } from './portal.ts'
import { races } from './races.ts'
import type { PortalSuite } from './suite.ts'
import { webhooks } from './webhooks.ts'

/**
 * That the suites can fail: a defect is planted in the server as it is loaded, and they find it.
 * The same rounds find nothing in the server as it is (suites.api.test.ts).
 */

const deadlineMs = 300_000
const cases: readonly [defect: PlantedDefect, suite: PortalSuite, only: RegExp, found: RegExp][] = [
  ['dedupe-by-event', webhooks, /four events of one payment at once/, /doubled: .*in the ledger [2-9]\d* times/],
  ['no-loan-lock', races, /the operator records money while late money/, /lost: .*taken back/],
]

it.each(cases)(
  '%s is found',
  async (defect, suite, only, found) => {
    const portal = await startPortal({ nodeOptions: withDefect(defect) })
    const options = { seed: 1, rounds: 0, cases: 1, short: true, only, recoveryTimeoutMs: 5_000 }
    try {
      const planted = await suite.runOn(portal, options)
      expect([planted.failed, planted.detail]).toEqual([true, expect.arrayContaining([expect.stringMatching(found)])])
    } finally {
      await portal.close()
    }
  },
  deadlineMs,
)
