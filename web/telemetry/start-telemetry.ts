import { getPortalConfig } from '#web/portal-config.ts'

let started = false

/** Starts measuring once the page is painted, where the lender has it on: the text `true` and nothing else (spec §1). */
export function startTelemetryAfterPaint(): void {
  const { enabled, url } = getPortalConfig().telemetry
  if (started || enabled !== 'true' || url === '') return
  started = true
  // The frame that is being made now is painted before the next one begins.
  requestAnimationFrame(() =>
    setTimeout(() => {
      // Without it everything works as well.
      import('./telemetry.ts').then(({ startTelemetry }) => startTelemetry()).catch(() => {})
    }),
  )
}
