import { getPortalConfig } from '#web/portal-config.ts'
import { afterPaint } from '#web/ui/after-paint.ts'
import { loadAhead } from '#web/ui/background-loads.ts'

let started = false

/**
 * Starts telemetry after the first paint if the lender enabled it with the text `true` (spec §1).
 */
export function startTelemetryAfterPaint(): void {
  const { enabled, url } = getPortalConfig().telemetry
  if (started || enabled !== 'true' || url === '') return
  started = true
  afterPaint(() => {
    // The portal works without telemetry.
    void loadAhead(async () => (await import('./telemetry.ts')).startTelemetry())
  })
}
