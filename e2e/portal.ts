import { createServer, type AddressInfo } from 'node:net'
import { expect, test as base, type Page } from '@playwright/test'
import { startApp, until, type App } from '#testkit/start-app.ts'
import type { TestCluster } from '#testkit/test-database.ts'

/** Short enough for a test, long enough to see each phase. */
const polling = {
  KIST_POLL_INITIAL_DELAY_MS: '300',
  KIST_POLL_INTERVAL_MS: '300',
  KIST_POLL_TIMEOUT_MS: '8000',
  KIST_POLL_REDIRECT_DELAY_MS: '1000',
}

type Fixtures = { signIn: (phone: string) => Promise<void> }
type WorkerFixtures = { portal: App; portalSettings: Record<string, string> }

/** A browser test with a whole portal: demo town, provider sandbox, own database; one for each worker process. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  portalSettings: [{}, { option: true, scope: 'worker' }],
  portal: [
    async ({ portalSettings }, use) => {
      const port = await freePort()
      const cluster = JSON.parse(process.env['KIST_TEST_CLUSTER'] ?? '') as TestCluster
      const app = await startApp(cluster, {
        town: true,
        settings: { PORT: String(port), KIST_ORIGIN: `http://localhost:${port}`, ...polling, ...portalSettings },
      })
      await use(app)
      await app.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ portal }, use) => use(`http://localhost:${new URL(portal.url).port}`),
  signIn: async ({ page, portal }, use) => use((phone) => signInThroughTheScreen(page, portal, phone)),
})
export { expect }

/** Types a phone and the code that the outbox shows, as a person does. */
async function signInThroughTheScreen(page: Page, portal: App, phone: string): Promise<void> {
  const before = portal.outbox().length
  await page.goto('/login')
  await page.getByLabel(/mobile number/i).fill(phone.slice(3))
  await page.getByRole('button', { name: /send code/i }).click()
  const code = await until(() => portal.outbox().slice(before).findLast(({ to }) => to === phone)?.code)
  await page.getByRole('textbox').first().pressSequentially(code)
  await page.getByRole('button', { name: /verify and log in/i }).click()
  await expect(page).not.toHaveURL(/\/login/)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
