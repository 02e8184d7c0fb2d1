import { verifyDocument } from '#contract/documents.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import { ApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'

export type VerifiedDocument = ResponseOf<typeof verifyDocument>

/** Why a document could not be verified. `unknown`: no document has the code. */
export type CheckFailure =
  | { reason: 'unknown' | 'no_connection' | 'unavailable' }
  /** Too many checks from this network; null if the server named no time. */
  | { reason: 'too_many'; waitSeconds: number | null }

/** @throws DOMException AbortError when `signal` aborts. */
export async function checkDocument(code: string, signal: AbortSignal): Promise<VerifiedDocument | CheckFailure> {
  try {
    return await call(verifyDocument, { query: { code } }, { signal })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.kind === 'network_error') return { reason: 'no_connection' }
    if (error.status === 404) return { reason: 'unknown' }
    if (error.status === 429) return { reason: 'too_many', waitSeconds: error.retryAfterSeconds }
    return { reason: 'unavailable' }
  }
}
