import { runHistories } from './autopay/histories.ts'
import { findingKinds, type Finding } from './autopay/judge.ts'
import { autopayRounds } from './autopay/rounds.ts'
import { startPortal } from './portal.ts'
import type { TortureOptions, TortureResult, TortureSuite } from './suite.ts'

/**
 * Autopay: rounds on a portal of real processes, with the sandbox and its faults, and random
 * histories on a simulated clock. Histories that were stopped continue with the same seed.
 */
export const autopay: TortureSuite = {
  name: 'autopay',
  run: async (options) => {
    const rounds = await runOnPortal(options)
    const histories = await runHistories({ ...options, isResumable: true })
    return toResult(`rounds ${rounds.rounds}, cases ${histories.cases}`, [...rounds.findings, ...histories.findings])
  },
}

async function runOnPortal(options: TortureOptions): Promise<{ rounds: number; findings: Finding[] }> {
  const portal = await startPortal()
  try {
    return await autopayRounds(portal, options)
  } finally {
    await portal.close()
  }
}

/** `autopay: …, lost 0, doubled 0, broken 0, unannounced 0, after-close 0, both-open 0` */
export function toResult(what: string, findings: readonly Finding[]): TortureResult {
  const countOf = (kind: Finding['kind']) => findings.filter((one) => one.kind === kind).length
  return {
    line: `autopay: ${what}, ${findingKinds.map((kind) => `${kind} ${countOf(kind)}`).join(', ')}`,
    failed: findings.length > 0,
    detail: findings.map(({ kind, text }) => `${kind}: ${text}`),
  }
}
