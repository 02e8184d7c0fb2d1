import { getPortalConfig } from '#web/portal-config.ts'
import { loadAhead } from '#web/ui/background-loads.ts'

let started = false

/**
 * Starts telemetry after the first paint if the lender enabled it with the text `true` (spec §1).
 */
export function startTelemetryAfterPaint(): void {
  const { enabled, url } = getPortalConfig().telemetry
  if (started || enabled !== 'true' || url === '') return
  started = true
  // The current frame is painted before the next one begins.
  requestAnimationFrame(() =>
    setTimeout(() => {
      // The portal works without telemetry.
      void loadAhead(async () => (await import('./telemetry.ts')).startTelemetry())
    }),
  )
}
