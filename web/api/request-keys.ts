import { useState } from 'react'
import { isOutcomeUnknown } from './api-error.ts'
import { createRandomHex } from './call.ts'

/**
 * The idempotency keys of one kind of request (decision 52). While it is unknown what became of a
 * request, the same request has its key again, so that nothing is done twice.
 */
type RequestKeys = {
  /** @param request its content, as text. */
  keyOf(request: string): string
  /** Called when a request has ended. @param error absent after a success. */
  settle(error?: unknown): void
}

export const useRequestKeys = (): RequestKeys => useState(createRequestKeys)[0]

export function createRequestKeys(): RequestKeys {
  let unconfirmed: { request: string; key: string } | null = null
  return {
    keyOf: (request) => {
      if (unconfirmed?.request !== request) unconfirmed = { request, key: createRandomHex(16) }
      return unconfirmed.key
    },
    settle: (error) => {
      if (!isOutcomeUnknown(error)) unconfirmed = null
    },
  }
}
