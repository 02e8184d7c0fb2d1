import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ApiError, type FailureKind } from '#web/api/api-error.ts'

/**
 * The text that the user sees for an error, exactly as in spec §8. Show it with
 * `i18n._(getFailureText(error))`.
 */
export function getFailureText(error: unknown): MessageDescriptor {
  if (!(error instanceof ApiError)) return texts.server_error
  if (error.network === 'offline') return msg`Unable to connect to server. Please check your internet connection and try again.`
  if (error.network === 'timeout') return msg`Request timed out. Please try again.`
  if (error.status === 429) return msg`Too many requests at once. Please wait a moment and try again.`
  return texts[error.kind]
}

const texts: Record<FailureKind, MessageDescriptor> = {
  unauthorized: msg`Your session has expired. Please sign in again.`,
  forbidden: msg`You do not have permission to access this resource.`,
  bad_request: msg`The information you are looking for is temporarily unavailable. Please try again after a while.`,
  server_error: msg`Backend is temporarily down. Please try again.`,
  network_error: msg`Network error occurred. Please check your connection and try again.`,
}
