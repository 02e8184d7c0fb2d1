import { expect, test as base, type Page, type Request } from '@playwright/test'
import { dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { freePort } from '#server/database/free-port.ts'
import { codeFor } from '#testkit/code-for.ts'
import { startApp, until, type App, type AppOptions } from '#testkit/start-app.ts'
import type { TestCluster } from '#testkit/test-database.ts'
import { startBalanced } from './balanced.ts'
import { newBorrower, type Borrower, type OwnLoan } from './people.ts'
import { watchBrowserErrors, type BrowserErrors } from './watch.ts'

export { codeFor, expect, until }
export { refused } from './watch.ts'

/**
 * Polls are fast. Redirects wait for a minute, so that no test leaves a page unexpectedly: tests
 * press the button instead. What ends by itself is far away: a machine may be slow for a minute.
 */
const timings = {
  KIST_POLL_INITIAL_DELAY_MS: '300',
  KIST_POLL_INTERVAL_MS: '300',
  KIST_POLL_TIMEOUT_MS: '200000',
  KIST_POLL_REDIRECT_DELAY_MS: '60000',
  KIST_REDIRECT_COUNTDOWN_SECONDS: '60',
  SANDBOX_REDIRECT_SECONDS: '60',
  // Pages wait for events, not for sweeps. A sweep every 100 ms would use four tenths of a core.
  KIST_SWEEP_INTERVAL_MS: '2000',
}

type Fixtures = {
  browserErrors: BrowserErrors
  /** Signs in on the login screen. */
  signIn: (phone: string) => Promise<void>
  /** Opens a page with an existing session. */
  enter: (phone: string, path?: string) => Promise<void>
  /** A borrower with one loan, used by no other test. */
  borrower: (loan?: OwnLoan) => Promise<Borrower>
}
type WorkerFixtures = {
  portal: App
  /**
   * Settings of the portal. A test file that changes the settings or the clock has its own portal.
   */
  portalSettings: Record<string, string>
}

/**
 * A browser test with its own portal. Each worker process has one portal, with demo data, the
 * payment sandbox and a database.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  portalSettings: [{}, { option: true, scope: 'worker' }],
  portal: [
    async ({ portalSettings }, use) => {
      const port = await freePort()
      const cluster = JSON.parse(process.env['KIST_TEST_CLUSTER'] ?? '') as TestCluster
      const app = await startApp(cluster, {
        town: true,
        now: lateMorning(),
        ...balanced(),
        settings: { PORT: String(port), KIST_ORIGIN: `http://localhost:${port}`, ...timings, ...portalSettings },
      })
      await use(app)
      await app.close()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  baseURL: async ({ portal }, use) => use(`http://localhost:${new URL(portal.url).port}`),
  page: async ({ page }, use) => {
    const goto = page.goto.bind(page)
    // The portal replaces what was drawn before its scripts: an element measured earlier is gone.
    page.goto = async (url, options) => {
      const response = await goto(url, options)
      if (options?.waitUntil === undefined) await page.locator(':root:not([data-drawn])').waitFor({ state: 'attached' })
      return response
    }
    await use(page)
    // A request that is still on its way through a test's handler fails no test that is over.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
  },
  browserErrors: [
    async ({ context }, use, testInfo) => {
      const { check, ...browserErrors } = await watchBrowserErrors(context)
      await use(browserErrors)
      // A test that failed early may not have caused the errors that it announced.
      if (testInfo.status === 'passed') check()
    },
    { auto: true },
  ],
  signIn: async ({ page, portal }, use) => use((phone) => signInOnScreen(page, portal, phone)),
  enter: async ({ page, portal }, use) => use((phone, path = '/') => enterWithSession(page, portal, phone, path)),
  borrower: async ({ portal }, use) => use((loan) => newBorrower(portal, loan)),
})

/** Puts a portal behind a load balancer, if KIST_TEST_BALANCER is set. */
export const balanced = (): Pick<AppOptions, 'front'> => {
  const mode = process.env['KIST_TEST_BALANCER']
  return mode === undefined ? {} : { front: startBalanced(mode === 'left-dead') }
}

/**
 * 11:00 today in India: no run reaches midnight, or 23:30, from when quotes are for the next day.
 */
function lateMorning(): Date {
  return new Date(startOfDayInIndiaMs(dayInIndia(new Date())) + 11 * 3_600_000)
}

/** A code that differs from this one. Another `off` gives another code. */
export const wrongCode = (code: string, off = 1): string => String((Number(code) + off * 111_111) % 1_000_000).padStart(6, '0')

/** Opens the sign-in page, and waits for the code, which sets the title: no press is lost. */
export async function openLogin(page: Page): Promise<void> {
  await page.goto('/login')
  await expect(page).toHaveTitle('Sign in - Kist')
}

/** Types a phone and requests the code. @returns the code from the outbox. */
export async function requestCode(page: Page, portal: App, phone: string): Promise<string> {
  const before = portal.outbox().length
  await page.getByLabel('Mobile number').fill(phone.slice(3))
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByRole('heading', { name: 'Enter the 6-digit OTP' })).toBeVisible()
  return codeFor(portal, phone, before)
}

/** The field of the code's first digit. */
export const firstBox = (page: Page) => page.getByRole('textbox', { name: '6-digit OTP' })

export async function typeCode(page: Page, code: string): Promise<void> {
  await firstBox(page).click()
  await page.keyboard.type(code)
}

async function signInOnScreen(page: Page, portal: App, phone: string): Promise<void> {
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  await typeCode(page, code)
  await page.getByRole('button', { name: 'Verify and sign in' }).click()
  await expect(page).not.toHaveURL(/\/login/)
}

/** Opens a page with a new session of a person. */
export async function enterWithSession(page: Page, portal: App, phone: string, path: string): Promise<void> {
  const before = portal.outbox().length
  const { body: sent } = await portal.post('/auth/login', { phone })
  const { body } = await portal.post('/auth/verify', { session_token: sent['session_token'], otp: await codeFor(portal, phone, before) })
  // Any file of the portal's origin gives access to its storage.
  await page.goto('/favicon.svg', { waitUntil: 'commit' })
  await page.evaluate(
    ({ token, user }) => {
      localStorage.setItem('token', token)
      localStorage.setItem('tokenReceivedAt', String(Date.now()))
      localStorage.setItem('userData', user)
    },
    { token: String(body['token']), user: JSON.stringify(body['user']) },
  )
  await page.goto(path)
}

/**
 * Ends the page's session elsewhere, presses what then is refused, and signs in again from there as
 * `person`.
 */
export async function signInAfterSessionEnd(page: Page, portal: App, person: string, press: () => Promise<void>): Promise<void> {
  await portal.post('/auth/logout', {}, await page.evaluate(() => localStorage.getItem('token') ?? ''))
  await press()
  await page.getByRole('alertdialog', { name: 'Please sign in again' }).getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await typeCode(page, await requestCode(page, portal, person))
  await page.keyboard.press('Enter')
}

/** From now on the page's loans are being checked by the lender. */
export async function showAsChecked(page: Page): Promise<void> {
  await page.route('**/portal/loans-summary*', async (route) => {
    const response = await route.fetch()
    const { loans } = (await response.json()) as { loans: object[] }
    await route.fulfill({ response, json: { loans: loans.map((loan) => ({ ...loan, loan_status: 'UNKNOWN' })) } })
  })
}

/** Moves the page's clock beyond the time for which the waiting page asks. */
export const passPollTimeout = (page: Page): Promise<void> => page.clock.fastForward(Number(timings.KIST_POLL_TIMEOUT_MS) + 1_000)

/**
 * Stops the clock of the page: what it shows of the time stays until the test moves it. A pause
 * that comes too late fails, but it has stopped the clock, so that the next try succeeds.
 */
export const pauseClock = (page: Page): Promise<void> =>
  expect(async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)).toPass()

/**
 * Counts the page's open requests from now on.
 *
 * @returns a function that waits until there are none: cut off, one is an error in the console.
 */
export function watchOpenRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  const end = (request: Request) => open.delete(request)
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return () => expect.poll(() => open.size).toBe(0)
}

/**
 * Waits for the code that is loaded while the page is idle: offline it could not come. What was
 * loaded can have more code loaded, so it is over when nothing came while the page was idle.
 */
export async function waitForIdleLoads(page: Page): Promise<void> {
  await page.waitForFunction(async () => {
    const list = () => performance.getEntriesByType('resource').map(({ name }) => name)
    const before = list().length
    for (let idle = 0; idle < 3; idle++) await new Promise((resolve) => requestIdleCallback(resolve))
    const loaded = new Set(list())
    const preloads = [...document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')]
    return list().length === before && preloads.every(({ href }) => loaded.has(href))
  })
}
