import type { Link } from './entities.ts'

/** Longest life of a link, seconds: six months, counted as 184 days. */
export const LINK_LIFE_MAX_S = 184 * 24 * 60 * 60

/** When the link stops taking money, Unix seconds. */
export function deadlineOf(link: Link): number {
  return link.expire_by || link.created_at + LINK_LIFE_MAX_S
}

export function isOpen(link: Link): boolean {
  return link.status === 'created' || link.status === 'partially_paid'
}
