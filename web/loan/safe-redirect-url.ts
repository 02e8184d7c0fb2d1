/**
 * The URL of the provider's page if it is on one of the provider's origins, else null. Any other
 * URL (`javascript:` above all) is rejected.
 */
export function getSafeRedirectUrl(text: string | undefined, origins: readonly string[]): string | null {
  if (text === undefined) return null
  try {
    const { origin, href, username, password } = new URL(text)
    return origins.includes(origin) && username === '' && password === '' ? href : null
  } catch {
    return null
  }
}
