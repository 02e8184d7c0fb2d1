import type { PortalConfig } from '#contract/portal-config.ts'

/** What the server wrote into the page as the lender's settings; null where it wrote nothing. */
export function readConfigOfPage(): PortalConfig | null {
  try {
    return JSON.parse(document.getElementById('config')?.textContent ?? 'null')
  } catch {
    return null
  }
}
