import { getWebInstrumentations, initializeFaro, InternalLoggerLevel, type MetaUser } from '@grafana/faro-web-sdk'
import { TracingInstrumentation } from '@grafana/faro-web-tracing'
import { type Actor, actorOf, getSession, readActor, subscribeSession } from '#web/session/session.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { type AuthState, isAssuming, rolesOf } from '#web/session/auth-state.ts'

/** Spec §9: what was measured is sent every second, or when thirty of it have come together. Sessions last as Faro has them. */
export const batching = { enabled: true, sendTimeout: 1000, itemLimit: 30 }

/** Measures from now on, and tells who is here whenever that changes. */
export function startTelemetry(): void {
  const { telemetry, app_version: version } = getPortalConfig()
  const { api } = initializeFaro({
    url: telemetry.url,
    app: { name: 'kist', version },
    batching,
    sessionTracking: { enabled: true, persistent: false },
    // What a page writes into its console may hold anything.
    instrumentations: [...getWebInstrumentations({ captureConsole: false }), new TracingInstrumentation()],
    beforeSend: (item) => ({
      ...item,
      payload: withoutSecrets(item.payload),
      meta: { ...item.meta, ...(item.meta.page && { page: withoutSecrets(item.meta.page) }) },
    }),
    internalLoggerLevel: InternalLoggerLevel.OFF,
    preventGlobalExposure: true,
  })

  let told: string | null = null
  async function tellWho(): Promise<void> {
    const { token, claims } = getSession()
    if (token === told) return
    told = token
    // Nobody's name stays on what is measured while the next one's is being made.
    api.resetUser()
    if (claims === null) return
    const hash = await hashOf(claims.sub)
    if (getSession().token !== token) return
    api.setUser(telemetryUser(getSession(), { actor: readActor(), anonymous: telemetry.anonymous, hash }))
  }
  subscribeSession(() => void tellWho())
  void tellWho()
}

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

/** Addresses lose what follows their path: a search of staff is somebody's phone or PAN. Their page is enough to know. */
const query = /((?:https?:\/\/|\/)[^\s"'<>?#]*)[?#][^\s"'<>]*/g
const phone = /(?:\+?91[\s-]?)?(?<![\w.-])[6-9]\d{4}[\s-]?\d{5}(?![\w-])/g
const pan = /\b[A-Z]{5}\d{4}[A-Z]\b/gi

/** A value as it may leave the browser: every text in it without queries, phones and PANs. */
export function withoutSecrets<T>(value: T): T
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(query, '$1').replace(pan, '…').replace(phone, '…')
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item as unknown))
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item as unknown)]))
}
