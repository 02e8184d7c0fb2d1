import { useState } from 'react'
import { ApiError } from './api-error.ts'
import { createRandomHex } from './call.ts'

/**
 * The idempotency keys of one kind of request (decision 52). While it is unknown what became of a
 * request, the same request has its key again, so that nothing is done twice.
 */
type RequestKeys = {
  /** @param request its content, as text. */
  keyOf(request: string): string
  /** Called when a request has ended. @param error absent or null after a success. */
  settle(error?: unknown): void
}

export const useRequestKeys = (): RequestKeys => useState(createRequestKeys)[0]

export function createRequestKeys(): RequestKeys {
  let unconfirmed: string | null = null
  let key = ''
  return {
    keyOf: (request) => {
      if (unconfirmed !== request) key = createRandomHex(16)
      unconfirmed = request
      return key
    },
    settle: (error) => {
      if (!isOutcomeUnknown(error)) unconfirmed = null
    },
  }
}

/** True if the server may have done the work although no valid response arrived. */
const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.kind === 'network_error' ||
    error.code === 'RequestInProgress' ||
    (error.kind === 'server_error' && error.code !== 'PaymentGatewayRefused'))
