import type { Change } from './entities.ts'
import { deadlineOf, isOpen } from './link-state.ts'

/** When something happens to a record by itself, ms of the sandbox's clock; null when nothing does. */
export function dueMsOf([kind, record]: Change, expiryLagS: number): number | null {
  switch (kind) {
    case 'link':
      return isOpen(record) ? (deadlineOf(record) + lagOf(record.id, expiryLagS)) * 1000 : null
    case 'payment':
    case 'refund':
      return record.planned?.at_ms ?? null
    default:
      return null
  }
}

/** The provider's sweeper comes late: by how much is the link's own, so that it is the same at every look. */
function lagOf(id: string, lagMaxS: number): number {
  let hash = 0
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return hash % (lagMaxS + 1)
}
