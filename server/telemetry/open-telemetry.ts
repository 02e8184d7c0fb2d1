import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Context, type Span } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { createOtlpExporter } from './otlp-exporter.ts'
import type { SpanKindName, Tracing } from '../observability.ts'

type OpenTelemetryOptions = {
  /** The base URL of an OTLP collector for JSON over HTTP; `/v1/traces` is appended. */
  url: string
  /** The sampled sampler of all traces, chosen by trace id, so that callers cannot increase it. */
  sharePercent: number
  log: Logger
}

const kinds: Record<SpanKindName, SpanKind> = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }
/** Spans beyond these limits are dropped, because tracing must not delay work. */
const limits = { maxQueueSize: 2_048, maxExportBatchSize: 256, scheduledDelayMillis: 1_000, exportTimeoutMillis: 5_000 }

/**
 * Creates tracing by OpenTelemetry. This file is loaded only if tracing is on. It sets nothing
 * global, so several servers can run in one process.
 */
export function createOpenTelemetry({ url, sharePercent, log }: OpenTelemetryOptions): Tracing {
  const sampler = new TraceIdRatioBasedSampler(sharePercent / 100)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'kist' }),
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler, remoteParentNotSampled: sampler }),
    spanProcessors: [new BatchSpanProcessor({ exporter: createOtlpExporter(url, log), ...limits })],
  })
  const tracer = provider.getTracer('kist')
  const contexts = new AsyncLocalStorageContextManager().enable()
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
      const context: Context = trace.setSpan(parent, span)
      return {
        within: (work) => contexts.with(context, work),
        end(name, attributes, failed) {
          span.updateName(name).setAttributes(attributes)
          finish(span, failed)
        },
      }
    },
    async span(name, kind, attributes, work) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, contexts.active())
      try {
        const result = await contexts.with(trace.setSpan(contexts.active(), span), work)
        finish(span, false)
        return result
      } catch (error) {
        finish(span, true)
        throw error
      }
    },
    recordSpan(name, milliseconds, attributes: Attributes, failed) {
      const context = contexts.active()
      if (!trace.getSpan(context)) return
      const endTime = Date.now()
      finish(tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: endTime - milliseconds }, context), failed, endTime)
    },
    // The exporter has already logged that the collector is unreachable.
    close: () => provider.shutdown().catch(() => {}),
  }
}
