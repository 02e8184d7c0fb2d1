import type { Measure } from '../adapters/payment-gateway/measured.ts'
import type { Metrics } from './metrics.ts'

/** Counts the provider's answers and their times. */
export function measureProvider(metrics: Metrics): Measure {
  return async (call, work) => {
    const startedAt = performance.now()
    const answer = await work()
    metrics.providerCalled(call, answer.kind, (performance.now() - startedAt) / 1_000)
    return answer
  }
}
