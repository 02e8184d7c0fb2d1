import type { Link } from './entities.ts'

/** Longest life of a link, seconds: six months, counted as 184 days. */
export const linkLifeMaxSeconds = 184 * 24 * 60 * 60

/** When the link stops taking money, Unix seconds. */
export function deadlineOf(link: Link): number {
  return link.expire_by || link.created_at + linkLifeMaxSeconds
}

export function isOpen(link: Link): boolean {
  return link.status === 'created' || link.status === 'partially_paid'
}
