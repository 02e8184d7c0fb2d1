import type { Measure } from '../adapters/payment-gateway/measure-gateway.ts'
import type { Metrics, Tracing } from '../observability.ts'

/** Measures each call to the provider and records it as a span. */
export function measureProvider(metrics: Metrics, tracing: Tracing): Measure {
  return async (call, work) => {
    const startedAt = performance.now()
    const answer = await tracing.span(`razorpay ${call}`, 'client', {}, work)
    metrics.providerCalled(call, answer.kind, (performance.now() - startedAt) / 1_000)
    return answer
  }
}
