import { addFindings, noFindings, verifyOutcome, type Findings } from './verify-outcome.ts'
import { startPortal, type Portal, type PortalOptions } from './portal.ts'

/**
 * Options of a suite. Every random choice comes from the seed, so that a failure can be reproduced.
 * `short`: the rounds of `npm test`. `only`: the rounds with matching names. `recoveryTimeoutMs`:
 * how long to wait for a recovery: shorter where a planted defect prevents it, longer on a busy
 * machine. `beside`: the checkout of another version. `resets`: the loans of `engine` have resets
 * of their rate.
 */
export type TortureOptions = {
  seed: number
  rounds: number
  cases: number
  short: boolean
  resets?: boolean
  only?: RegExp
  recoveryTimeoutMs?: number
  beside?: string
}

/** The result of a suite. `detail` has a line for each finding. */
export type TortureResult = { line: string; failed: boolean; detail: readonly string[] }

export type TortureSuite = { name: string; run: (options: TortureOptions) => Promise<TortureResult> | TortureResult }

/** The closing line of a suite: `name: rounds N, lost N, doubled N, broken N`. */
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

/** A running suite: records findings and runs rounds. */
export type SuiteRun = {
  portal: Portal
  options: TortureOptions
  /** Records a finding that the comparison does not show, such as a wrong answer. */
  broken(what: string): void
  /** Records a loss of money that did not come by the provider. */
  lost(what: string): void
  /**
   * Runs one scenario with its fault, then waits for the recovery and compares provider and ledger.
   * An error of the scenario is a finding.
   */
  round(name: string, scenario: () => Promise<void>): Promise<void>
}

export type PortalSuite = TortureSuite & {
  /** Runs the suite on a running portal. */
  runOn(portal: Portal, options: TortureOptions): Promise<TortureResult>
}

/** A suite on a portal of real processes. */
export function portalSuite(
  name: string,
  runRounds: (suiteRun: SuiteRun) => Promise<void>,
  portalOptions: PortalOptions = {},
): PortalSuite {
  const runOn = async (portal: Portal, options: TortureOptions): Promise<TortureResult> => {
    const found: Findings = noFindings()
    let rounds = 0
    let slowestMs = 0
    const suiteRun: SuiteRun = {
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
        const { settledMs, ...outcome } = await verifyOutcome(portal, {
          ...(options.recoveryTimeoutMs !== undefined && { withinMs: options.recoveryTimeoutMs }),
        })
        slowestMs = Math.max(slowestMs, settledMs)
        addFindings(inThis, outcome)
        for (const kind of ['lost', 'doubled', 'broken'] as const) found[kind].push(...inThis[kind].map((line) => `${scenario}: ${line}`))
        process.stderr.write(`${name}: ${rounds} ${scenario}, ${tookMs} ms, at rest after ${settledMs} ms\n`)
      },
    }
    await runRounds(suiteRun)
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
