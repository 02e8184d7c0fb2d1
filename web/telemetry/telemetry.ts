import { getWebInstrumentations, initializeFaro, InternalLoggerLevel } from '@grafana/faro-web-sdk'
import { TracingInstrumentation } from '@grafana/faro-web-tracing'
import { readActor } from '#web/session/actor.ts'
import { getSession, subscribeSession } from '#web/session/session.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { hashOf, telemetryUser } from './telemetry-user.ts'
import { withoutSecrets } from './without-secrets.ts'

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
