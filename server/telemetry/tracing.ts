import type { RequestSpan, Tracing } from '../observability.ts'

const noSpan: RequestSpan = { within: (work) => work(), end: () => {} }

/** Tracing that records nothing. */
export const noTracing: Tracing = {
  request: () => noSpan,
  span: (_name, _kind, _attributes, work) => work(),
  recordSpan: () => {},
  close: () => Promise.resolve(),
}
