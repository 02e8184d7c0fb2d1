import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Context, type Span } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { otlpExporter } from './otlp-exporter.ts'
import type { SpanKindName, Tracing } from '../observability.ts'

export type OpenTelemetryOptions = {
  /** Base address of an OTLP collector that takes JSON over HTTP; `/v1/traces` is added to it. */
  url: string
  /** Of all traces, chosen by their ids: whoever calls cannot make us keep more. */
  sharePercent: number
  log: Logger
}

const kinds: Record<SpanKindName, SpanKind> = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }
/**
 * What is not sent in time or beyond so many is dropped: telling of the work must never hold it up.
 */
const limits = { maxQueueSize: 2_048, maxExportBatchSize: 256, scheduledDelayMillis: 1_000, exportTimeoutMillis: 5_000 }

/**
 * Tracing by OpenTelemetry. This file is loaded only where tracing is on. Nothing global is set: a
 * second server in the same process has its own.
 */
export function openTelemetry({ url, sharePercent, log }: OpenTelemetryOptions): Tracing {
  const share = new TraceIdRatioBasedSampler(sharePercent / 100)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'kist' }),
    sampler: new ParentBasedSampler({ root: share, remoteParentSampled: share, remoteParentNotSampled: share }),
    spanProcessors: [new BatchSpanProcessor({ exporter: otlpExporter(url, log), ...limits })],
  })
  const tracer = provider.getTracer('kist')
  const scopes = new AsyncLocalStorageContextManager().enable()
  const propagator = new W3CTraceContextPropagator()

  const finish = (span: Span, failed: boolean, endTime?: number) => {
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endTime)
  }
  return {
    request(traceparent) {
      const parent = propagator.extract(
        ROOT_CONTEXT,
        { traceparent },
        { get: (carrier, key) => carrier[key as 'traceparent'], keys: Object.keys },
      )
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent)
      const scope: Context = trace.setSpan(parent, span)
      return {
        within: (work) => scopes.with(scope, work),
        end(name, facts, failed) {
          span.updateName(name).setAttributes(facts)
          finish(span, failed)
        },
      }
    },
    async span(name, kind, facts, work) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: facts }, scopes.active())
      try {
        const result = await scopes.with(trace.setSpan(scopes.active(), span), work)
        finish(span, false)
        return result
      } catch (error) {
        finish(span, true)
        throw error
      }
    },
    recordSpan(name, milliseconds, facts: Attributes, failed) {
      const scope = scopes.active()
      if (!trace.getSpan(scope)) return
      const endTime = Date.now()
      finish(
        tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: facts, startTime: endTime - milliseconds }, scope),
        failed,
        endTime,
      )
    },
    // The exporter has said already that the collector is away; a server stops all the same.
    close: () => provider.shutdown().catch(() => {}),
  }
}
