import { addFindings, noFindings, settleAndJudge, type Findings } from './judge.ts'
import { startPortal, type Portal, type PortalOptions } from './portal.ts'

/**
 * What a suite is told. Every random choice comes from the seed, so that a failing run can be run again. `short`: as much of it
 * as `npm test` has time for. `only`: the rounds with such names. `healedWithinMs`: how long to
 * wait for what may never come. `beside`: the checkout of another version.
 */
export type TortureOptions = {
  seed: number
  rounds: number
  cases: number
  short: boolean
  only?: RegExp
  healedWithinMs?: number
  beside?: string
}

/** What a suite found. `detail` has a line for each finding. */
export type TortureResult = { line: string; failed: boolean; detail: readonly string[] }

export type TortureSuite = { name: string; run: (options: TortureOptions) => Promise<TortureResult> | TortureResult }

/** The line of a suite that loses, doubles or breaks: `name: rounds N, lost N, doubled N, broken N`. */
export function result(
  name: string,
  rounds: number,
  counts: { lost?: number; doubled?: number; broken?: number },
  detail: readonly string[] = [],
): TortureResult {
  const { lost = 0, doubled = 0, broken = 0 } = counts
  return {
    line: `${name}: rounds ${rounds}, lost ${lost}, doubled ${doubled}, broken ${broken}`,
    failed: lost + doubled + broken > 0,
    detail,
  }
}

/** The course of a suite on a portal: what was found so far, and how a round is done. */
export type Course = {
  portal: Portal
  options: TortureOptions
  /** Something that no comparison of ledgers shows: a wrong answer, a call that hung. */
  broken(what: string): void
  /** Money that another than the provider brought, and that is gone. */
  lost(what: string): void
  /**
   * One scenario: breaks something, heals it; then everything must come to rest by itself and be right. What a scenario
   * throws is a finding.
   */
  round(name: string, scenario: () => Promise<void>): Promise<void>
}

export type PortalSuite = TortureSuite & {
  /** The same on a portal that is there already. */
  runOn(portal: Portal, options: TortureOptions): Promise<TortureResult>
}

/** A suite that breaks a whole portal of real processes. */
export function portalSuite(name: string, play: (course: Course) => Promise<void>, portalOptions: PortalOptions = {}): PortalSuite {
  const runOn = async (portal: Portal, options: TortureOptions): Promise<TortureResult> => {
    const found: Findings = noFindings()
    let rounds = 0
    let slowestMs = 0
    const course: Course = {
      portal,
      options,
      broken: (what) => void found.broken.push(what),
      lost: (what) => void found.lost.push(what),
      round: async (scenario, work) => {
        if (options.only && !options.only.test(scenario)) return
        rounds += 1
        const started = Date.now()
        const inThis = noFindings()
        await work().catch((error: unknown) => inThis.broken.push(String(error)))
        const tookMs = Date.now() - started
        const { settledMs, ...judged } = await settleAndJudge(portal, {
          ...(options.healedWithinMs !== undefined && { withinMs: options.healedWithinMs }),
        })
        slowestMs = Math.max(slowestMs, settledMs)
        addFindings(inThis, judged)
        for (const kind of ['lost', 'doubled', 'broken'] as const) found[kind].push(...inThis[kind].map((line) => `${scenario}: ${line}`))
        process.stderr.write(`${name}: ${rounds} ${scenario}, ${tookMs} ms, at rest after ${settledMs} ms\n`)
      },
    }
    await play(course)
    process.stderr.write(`${name}: the slowest came to rest after ${slowestMs} ms\n`)
    const detail = (['lost', 'doubled', 'broken'] as const).flatMap((kind) => found[kind].map((line) => `${kind}: ${line}`))
    return result(name, rounds, { lost: found.lost.length, doubled: found.doubled.length, broken: found.broken.length }, detail)
  }
  return {
    name,
    runOn,
    run: async (options) => {
      const portal = await startPortal(portalOptions)
      try {
        return await runOn(portal, options)
      } finally {
        await portal.close()
      }
    },
  }
}
