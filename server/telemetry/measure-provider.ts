import type { Measure } from '../adapters/payment-gateway/measure-gateway.ts'
import type { Metrics, Tracing } from '../observability.ts'

/** Counts the provider's answers and their times, and shows each call as a span. */
export function measureProvider(metrics: Metrics, tracing: Tracing): Measure {
  return async (call, work) => {
    const startedAt = performance.now()
    const answer = await tracing.span(`razorpay ${call}`, 'client', {}, work)
    metrics.providerCalled(call, answer.kind, (performance.now() - startedAt) / 1_000)
    return answer
  }
}
