import type { MetaUser } from '@grafana/faro-web-sdk'
import { isAssuming, rolesOf, type AuthState } from '#web/session/auth-state.ts'
import { actorOf, type Actor } from '#web/session/actor.ts'

/**
 * Who is told to telemetry: the person signed in, and while a borrower is acted for, the staff member (spec §3). Never a phone, never a
 * PAN; `anonymous` leaves out what names a person.
 *
 * @param actor the staff member behind an assumed session, as far as this browser knows.
 * @param hash the hash of an id, as hexadecimal text; undefined where the browser cannot make one.
 */
export function telemetryUser(
  { claims, user }: Pick<AuthState, 'claims' | 'user'>,
  { actor, anonymous, hash }: { actor: Actor | null; anonymous: boolean; hash: string | undefined },
): MetaUser | undefined {
  if (claims === null) return undefined
  const person = isAssuming(claims) ? actor : user && actorOf(user)
  const roles = rolesOf(claims).join(',')
  const known = { id: claims.sub, roles, ...(hash !== undefined && { hash }) }
  // What was kept of another staff member names nobody here.
  if (anonymous || person === null || person.user_id !== claims.sub) return known
  const { first_name, last_name, email } = person
  return {
    ...known,
    username: first_name,
    fullName: `${first_name} ${last_name}`.trim(),
    ...(email !== null && { email }),
  }
}

/** SHA-256 of the id as hexadecimal text: one person's visits belong together without saying whose they are. */
export async function hashOf(id: string): Promise<string | undefined> {
  // Only pages that came safely have it.
  if (!globalThis.isSecureContext) return undefined
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
