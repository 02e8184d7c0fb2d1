import { expect, inject, it } from 'vitest'
import { runHistories } from './autopay/histories.ts'
import type { Finding, FindingKind } from './autopay/judge.ts'
import { withDefect, type PlantedDefect } from './planted-defect.ts'
import { longerLimits, startPortal } from './portal.ts'
import { races } from './races.ts'
import type { PortalSuite } from './suite.ts'
import { webhooks } from './webhooks.ts'

/**
 * That the suites can fail: a defect is planted in the server as it is loaded, and they find it.
 * The same rounds find nothing in the server as it is (suites.api.test.ts).
 */

const deadlineMs = 300_000
const cases: readonly [defect: PlantedDefect, suite: PortalSuite, only: RegExp, found: RegExp][] = [
  ['dedupe-by-event', webhooks, /four events of one payment at once/, /doubled: .*in the ledger \d+ times/],
  ['no-loan-lock', races, /the operator records money while late money/, /lost: .*taken back/],
]

it.each(cases)(
  '%s is found',
  async (defect, suite, only, found) => {
    const portal = await startPortal({ nodeOptions: withDefect(defect), settings: longerLimits })
    const options = { seed: 1, rounds: 0, cases: 1, short: true, only, recoveryTimeoutMs: 30_000 }
    try {
      const planted = await suite.runOn(portal, options)
      expect([planted.failed, planted.detail]).toEqual([true, expect.arrayContaining([expect.stringMatching(found)])])
    } finally {
      await portal.close()
    }
  },
  deadlineMs,
)

// What meets by chance differs between runs, and a third of the seeds find nothing: a defect that
// the first histories miss is found by the next ones. The first seed is one that usually finds it.
const casesOfAutopay = 40
const seedsMax = 24
const defectsOfAutopay: readonly [defect: PlantedDefect, kind: FindingKind, found: RegExp, firstSeed: number][] = [
  ['no-exclusion', 'both-open', /link/, 1],
  ['no-check-before-presenting', 'doubled', /are unpaid/, 1],
  ['retry-without-borrower', 'broken', /tries again without the borrower/, 2],
]

it.each(defectsOfAutopay)(
  '%s is found by the histories of autopay',
  async (defect, kind, expected, firstSeed) => {
    const nodeOptions = withDefect(defect)
    const found: Finding[] = []
    const debitsOfSeeds: number[] = []
    for (let seed = firstSeed; seed < firstSeed + seedsMax; seed += 1) {
      const { findings, debits } = await runHistories({ seed, cases: casesOfAutopay, nodeOptions, cluster: inject('cluster') })
      found.push(...findings)
      debitsOfSeeds.push(debits)
      if (findings.some((finding) => finding.kind === kind && expected.test(finding.text))) return
    }
    const finding = { kind, text: expect.stringMatching(expected) as unknown as string }
    expect(found, `seeds with ${debitsOfSeeds.join(', ')} debits`).toContainEqual(finding)
  },
  4 * deadlineMs,
)
