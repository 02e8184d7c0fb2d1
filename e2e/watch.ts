import { expect, type BrowserContext } from '@playwright/test'

/**
 * What a browser complains of while a test runs. Nothing is allowed but what the test announced, and that must happen:
 * an error that nobody provokes is a defect, and so is a refusal that did not come.
 */
export type Complaints = {
  /** The test provokes this: the browser writes every refused call into its console. */
  expectConsole(text: RegExp): void
  /** What may come or not, where two things race. */
  tolerateConsole(text: RegExp): void
}

export async function watchComplaints(context: BrowserContext): Promise<Complaints & { check(): void }> {
  const heard: string[] = []
  const expected: RegExp[] = []
  const tolerated: RegExp[] = []
  context.on('console', (message) => {
    // A header of ours that names what the browser does not know is only warned of.
    if (message.type() === 'error' || message.text().includes('Unrecognized feature'))
      heard.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => heard.push(`uncaught: ${String(error.error())}`))
  await context.exposeBinding('reportBlockedByPolicy', (_source, what: string) => heard.push(`content security policy: ${what}`))
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
      expect(heard.filter((line) => ![...expected, ...tolerated].some((text) => text.test(line)))).toEqual([])
      expect(expected.filter((text) => !heard.some((line) => text.test(line))).map(String)).toEqual([])
    },
  }
}

/** The browser's own line about a refused call. */
export const refused = (status: number, path: string): RegExp => new RegExp(`status of ${status} .*${path}`)
