import { getWebInstrumentations, initializeFaro, InternalLoggerLevel, type MetaUser } from '@grafana/faro-web-sdk'
import { TracingInstrumentation } from '@grafana/faro-web-tracing'
import { panPattern, phonePattern, upiPattern } from '#domain/personal-data.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import type { AuthState } from '#web/session/auth-state.ts'
import { isAssuming, getRoles } from '#web/session/claims.ts'
import { type Actor, toActor, getSession, readActor, subscribeSession } from '#web/session/session.ts'

/** Spec §9: sends every second, or 30 items together. Session lifetimes are Faro's defaults. */
export const batching = { enabled: true, sendTimeout: 1000, itemLimit: 30 }

/** Starts telemetry and reports the user whenever it changes. */
export function startTelemetry(): void {
  const { telemetry, app_version: version } = getPortalConfig()
  const { api } = initializeFaro({
    url: telemetry.url,
    app: { name: 'kist', version },
    batching,
    sessionTracking: { enabled: true, persistent: false },
    // Console output may contain anything.
    instrumentations: [...getWebInstrumentations({ captureConsole: false }), new TracingInstrumentation()],
    beforeSend: (item) => ({
      ...item,
      payload: redactSecrets(item.payload),
      meta: { ...item.meta, ...(item.meta.page && { page: redactSecrets(item.meta.page) }) },
    }),
    internalLoggerLevel: InternalLoggerLevel.OFF,
    preventGlobalExposure: true,
  })

  let reportedToken: string | null = null
  async function reportUser(): Promise<void> {
    const { token, claims } = getSession()
    if (token === reportedToken) return
    reportedToken = token
    // Events sent while the new user is being computed must not have the previous user.
    api.resetUser()
    if (claims === null) return
    const hash = await hashId(claims.sub)
    if (getSession().token !== token) return
    api.setUser(buildTelemetryUser(getSession(), { actor: readActor(), anonymous: telemetry.anonymous, hash }))
  }
  subscribeSession(() => void reportUser())
  void reportUser()
}

/**
 * The reported user: the person signed in, or the staff member of an assumed session (spec §3).
 * Never a phone or a PAN; `anonymous` leaves out names and e-mail.
 *
 * @param actor the staff member of an assumed session, if this browser knows them.
 * @param hash the hash of an id, hexadecimal; undefined if the browser cannot compute it.
 */
export function buildTelemetryUser(
  { claims, user }: Pick<AuthState, 'claims' | 'user'>,
  { actor, anonymous, hash }: { actor: Actor | null; anonymous: boolean; hash: string | undefined },
): MetaUser | undefined {
  if (claims === null) return undefined
  const person = isAssuming(claims) ? actor : user && toActor(user)
  const roles = getRoles(claims).join(',')
  const known = { id: claims.sub, roles, ...(hash !== undefined && { hash }) }
  // A stored actor of another staff member must not be used.
  if (anonymous || person === null || person.user_id !== claims.sub) return known
  const { first_name, last_name, email } = person
  return {
    ...known,
    username: first_name,
    fullName: `${first_name} ${last_name}`.trim(),
    ...(email !== null && { email }),
  }
}

/** SHA-256 of the id, hexadecimal: groups one person's visits without identifying them. */
export async function hashId(id: string): Promise<string | undefined> {
  // Available in secure contexts only.
  if (!globalThis.isSecureContext) return undefined
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Removes queries from URLs: a staff search contains a phone or a PAN. */
const query = /((?:https?:\/\/|\/)[^\s"'<>?#]*)[?#][^\s"'<>]*/g

/** A copy of a value without URL queries, UPI IDs, phones and PANs in its texts. */
export function redactSecrets<T>(value: T): T
export function redactSecrets(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(query, '$1').replace(upiPattern, '…').replace(phonePattern, '…').replace(panPattern, '…')
  if (Array.isArray(value)) return value.map((item) => redactSecrets(item as unknown))
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactSecrets(item as unknown)]))
}
