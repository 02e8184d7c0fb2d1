import type { PortalConfig } from '#contract/portal-config.ts'

/**
 * Used if the settings cannot be read: the portal opens, with nothing in it that could be wrong for
 * a lender.
 */
const fallback: PortalConfig = {
  app_version: '0.0.1',
  brand: { name: 'Kist', lender: '', lender_address: '', lender_gstin: '' },
  default_language: 'en',
  detect_language: true,
  use_razorpay: true,
  payment_origins: ['https://rzp.io'],
  polling: { initial_delay_ms: 5000, interval_ms: 3000, overall_timeout_ms: 90_000, redirect_delay_ms: 3000 },
  countdown: { seconds: 10, pause_ms: 500 },
  telemetry: { enabled: 'false', url: '', anonymous: true },
  upload_size_max_bytes: 10 * 1024 * 1024,
  support: { phone: '', email: '', hours: '', hours_hi: '' },
  grievance_officer: { name: '', phone: '', email: '' },
  escalation: { url: '', after_days: 30 },
  assume_profile: 'act',
  demo: false,
}

let current = fallback

/**
 * Reads the lender's settings; called once, before the first render. The server writes them into
 * its pages, so that usually no request is needed. They are not validated: page, settings and code
 * come from one deployment.
 */
export async function loadPortalConfig(): Promise<PortalConfig> {
  try {
    const read = readConfigOfPage() ?? (await fetchConfig())
    if (read) current = read
  } catch {
    // Uses the fallback.
  }
  return current
}

async function fetchConfig(): Promise<PortalConfig | null> {
  const response = await fetch('/config.json')
  return response.ok ? response.json() : null
}

/** The lender's settings; complete once the app has started. */
export const getPortalConfig = (): PortalConfig => current

/** For rendering on the server, which has no page to read them from. */
export function setPortalConfig(config: PortalConfig): void {
  current = config
}

/** The settings that the server wrote into the page; null without them. */
function readConfigOfPage(): PortalConfig | null {
  try {
    return JSON.parse(document.getElementById('config')?.textContent ?? 'null')
  } catch {
    return null
  }
}
