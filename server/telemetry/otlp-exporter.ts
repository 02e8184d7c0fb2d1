import type { Attributes, HrTime } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'

const timeoutMs = 2_000

/**
 * Sends spans to a collector as OTLP's JSON over HTTP (opentelemetry.io/docs/specs/otlp, 1.5): what `exporter-trace-otlp-http` does,
 * without the metrics and logs that it would bring along.
 */
export function otlpExporter(url: string, log: Logger): SpanExporter {
  const address = `${url.replace(/\/$/, '')}/v1/traces`
  let isFailing = false
  /** @returns whether the collector took them. */
  const send = async (spans: readonly ReadableSpan[]): Promise<boolean> => {
    try {
      const { ok, status } = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(requestOf(spans)),
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (!ok) throw new Error(`the collector answered ${status}`)
      isFailing = false
      return true
    } catch (error) {
      // Once, until it works again: a collector that is away must not fill the log.
      if (!isFailing) log.warn({ err: error }, 'spans could not be sent to the collector')
      isFailing = true
      return false
    }
  }
  return {
    export: async (spans, tell) => tell({ code: (await send(spans)) ? ExportResultCode.SUCCESS : ExportResultCode.FAILED }),
    shutdown: () => Promise.resolve(),
  }
}

function requestOf(spans: readonly ReadableSpan[]): unknown {
  const [first] = spans
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(first?.resource.attributes ?? {}) },
        scopeSpans: [{ scope: { name: 'kist' }, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf(span: ReadableSpan): unknown {
  const { traceId, spanId } = span.spanContext()
  return {
    traceId,
    spanId,
    ...(span.parentSpanContext && { parentSpanId: span.parentSpanContext.spanId }),
    name: span.name,
    // OTLP counts kinds from 1: 0 is none given.
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
