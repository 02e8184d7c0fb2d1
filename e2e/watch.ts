import { expect, type BrowserContext } from '@playwright/test'

/**
 * The errors that the browser reports during a test. A test announces those that it causes: any
 * other error fails the test, and so does an announced error that does not occur.
 */
export type BrowserErrors = {
  /** The test causes this error: the browser logs every refused call in its console. */
  expectConsole(text: RegExp): void
  /** Allowed but not required, because it depends on timing. */
  tolerateConsole(text: RegExp): void
}

export async function watchBrowserErrors(context: BrowserContext): Promise<BrowserErrors & { check(): void }> {
  const seen: string[] = []
  const expected: RegExp[] = []
  const tolerated: RegExp[] = []
  context.on('console', (message) => {
    // A header with a directive unknown to the browser is only a warning.
    if (message.type() === 'error' || message.text().includes('Unrecognized feature'))
      seen.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => seen.push(`uncaught: ${String(error.error())}`))
  await context.exposeBinding('reportBlockedByPolicy', (_source, what: string) => seen.push(`content security policy: ${what}`))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      const report: unknown = Reflect.get(window, 'reportBlockedByPolicy')
      if (typeof report === 'function') report(`${violatedDirective} ${blockedURI} ${sourceFile}`)
    })
  })
  return {
    expectConsole: (text) => expected.push(text),
    tolerateConsole: (text) => tolerated.push(text),
    check: () => {
      expect(seen.filter((line) => ![...expected, ...tolerated].some((text) => text.test(line)))).toEqual([])
      expect(expected.filter((text) => !seen.some((line) => text.test(line))).map(String)).toEqual([])
    },
  }
}

/** The browser's own message about a refused call. */
export const refused = (status: number, path: string): RegExp => new RegExp(`status of ${status} .*${path}`)
