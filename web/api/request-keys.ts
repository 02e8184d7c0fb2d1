import { useState } from 'react'
import { isOutcomeUnknown } from './api-error.ts'

/**
 * The idempotency keys of one kind of request (decision 52). While it is unknown what became of a
 * request, the same request has its key again, so that nothing is done twice.
 */
export type RequestKeys = {
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
      if (unconfirmed?.request !== request) unconfirmed = { request, key: createIdempotencyKey() }
      return unconfirmed.key
    },
    settle: (error) => {
      if (!isOutcomeUnknown(error)) unconfirmed = null
    },
  }
}

/** 128 random bits. `randomUUID` is missing on pages without TLS. */
const createIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
