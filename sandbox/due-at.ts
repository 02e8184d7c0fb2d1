import type { Change } from './entities.ts'
import { deadlineOf, isOpen } from './link-state.ts'

/** When a record changes by itself, ms of the sandbox's clock; null when it does not. */
export function dueMsOf([kind, record]: Change, expiryLagSeconds: number): number | null {
  switch (kind) {
    case 'link':
      return isOpen(record) ? (deadlineOf(record) + lagOf(record.id, expiryLagSeconds)) * 1000 : null
    case 'payment':
    case 'refund':
    case 'token':
      return record.planned?.at_ms ?? null
    case 'order':
      return record.notification?.planned?.at_ms ?? null
    case 'registration':
      return record.status === 'issued' && record.expire_by !== null ? record.expire_by * 1000 : null
    default:
      return null
  }
}

/**
 * The provider expires links late. The lag is derived from the id, so that it is always the same
 * for a link.
 */
function lagOf(id: string, lagMaxSeconds: number): number {
  let hash = 0
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return hash % (lagMaxSeconds + 1)
}
