import type { Attributes, HrTime } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'

/** The default of OTLP exporters (OTEL_EXPORTER_OTLP_TIMEOUT). */
const timeoutMs = 10_000

/**
 * Sends spans to a collector as OTLP JSON over HTTP (opentelemetry.io/docs/specs/otlp, 1.5), like
 * `exporter-trace-otlp-http` but without its dependencies for metrics and logs.
 */
export function createOtlpExporter(url: string, log: Logger): SpanExporter {
  const address = `${url.replace(/\/$/, '')}/v1/traces`
  let isFailing = false
  /** @returns whether the collector accepted the spans. */
  const send = async (spans: readonly ReadableSpan[]): Promise<boolean> => {
    try {
      const { ok, status } = await fetch(address, {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(toRequest(spans)),
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (!ok) throw new Error(`the collector answered ${status}`)
      isFailing = false
      return true
    } catch (error) {
      // Logs once until it works again, so that an unreachable collector does not fill the log.
      if (!isFailing) log.warn({ err: error }, 'could not send spans to the collector')
      isFailing = true
      return false
    }
  }
  return {
    export: async (spans, report) => report({ code: (await send(spans)) ? ExportResultCode.SUCCESS : ExportResultCode.FAILED }),
    shutdown: () => Promise.resolve(),
  }
}

function toRequest(spans: readonly ReadableSpan[]): unknown {
  const [first] = spans
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(first?.resource.attributes ?? {}) },
        scopeSpans: [{ scope: { name: 'kist' }, spans: spans.map(toOtlpSpan) }],
      },
    ],
  }
}

function toOtlpSpan(span: ReadableSpan): unknown {
  const { traceId, spanId } = span.spanContext()
  return {
    traceId,
    spanId,
    ...(span.parentSpanContext && { parentSpanId: span.parentSpanContext.spanId }),
    name: span.name,
    // OTLP counts kinds from 1; 0 means unspecified.
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: keyValues(span.attributes),
    status: { code: span.status.code },
  }
}

const nanoseconds = ([seconds, rest]: HrTime): string => String(BigInt(seconds) * 1_000_000_000n + BigInt(rest))

const keyValues = (attributes: Attributes): unknown[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { doubleValue: value } : { stringValue: String(value) },
  }))
