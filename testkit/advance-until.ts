import type { App } from './start-app.ts'
import { until } from './until.ts'

/**
 * Settings of a portal whose tests wait for sweeps: with these, each sweep runs between two steps.
 */
export const quickSweeps = { KIST_SWEEP_INTERVAL_MS: '250' }

/** Real time in which a busy machine runs each sweep at least once. */
const betweenStepsMs = 500
const timeoutMs = 120_000

/**
 * Advances the clock step by step until `read` is truthy. It waits for the sweeps between two
 * steps: on a busy machine the clock would otherwise be days ahead of them, and sessions expire.
 *
 * @returns the result of `read`.
 * @throws Error at the time limit.
 */
export async function advanceUntil<T>({ clock }: Pick<App, 'clock'>, stepMs: number, read: () => T | Promise<T>): Promise<NonNullable<T>> {
  let nextStepAt = 0
  return until(async () => {
    if (performance.now() >= nextStepAt) {
      await clock.advance(stepMs)
      nextStepAt = performance.now() + betweenStepsMs
    }
    return read()
  }, timeoutMs)
}
