import type { Page } from '@playwright/test'
import { startDeployable } from './new-build.ts'
import { expect, openLogin, test, watchOpenRequests } from './portal.ts'

// All other tests block the worker: tests could not make its responses fail.
test.use({ serviceWorkers: 'allow' })

/** Every URL in any cache of this site. */
const cached = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const kept: string[] = []
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) kept.push(new URL(url).pathname + new URL(url).search)
    return kept
  })

const shellIsKept = (page: Page) => expect.poll(() => cached(page)).toContain('/active-loans')

test('the portal can be installed, under its name in both languages, with icons of the sizes it names', async ({ page, request }) => {
  await openLogin(page)
  await expect(page.locator('link[rel=manifest]')).toHaveAttribute('href', '/manifest.webmanifest?language=en')
  await page.getByRole('button', { name: 'हिन्दी' }).filter({ visible: true }).click()
  await expect(page.locator('link[rel=manifest]')).toHaveAttribute('href', '/manifest.webmanifest?language=hi')
  const manifestOf = async (language: string) =>
    (await request.get(`/manifest.webmanifest?language=${language}`)).json() as Promise<Manifest>
  const [en, hi] = [await manifestOf('en'), await manifestOf('hi')]
  expect([en.name, en.short_name, hi.name, hi.short_name]).toEqual(['Kist: loan repayments', 'Kist', 'क़िस्त: लोन का भुगतान', 'क़िस्त'])
  expect(en).toMatchObject({ id: '/', scope: '/', start_url: '/active-loans', display: 'standalone' })
  expect(en.icons.map(({ purpose }) => purpose).sort()).toEqual(['any', 'any', 'maskable'])
  for (const { src, sizes } of en.icons) {
    const icon = await (await request.get(src)).body()
    // The width and the height of a PNG.
    expect(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`).toBe(sizes)
  }
})
type Manifest = { name: string; short_name: string; icons: { src: string; sizes: string; purpose: string }[] }

test('the shell is kept, nothing of the person is, and logging out clears it', async ({ page, enter, borrower }) => {
  // Another program of this origin stores files too, which are not ours to delete.
  await page.goto('/favicon.svg')
  await page.evaluate(async () => void (await caches.open('of-somebody-else')))
  await enter((await borrower()).phone)
  await shellIsKept(page)
  // The worker controls the page now: all data of the person passes through it.
  const answered = watchOpenRequests(page)
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  for (const tab of ['Payments', 'Documents']) {
    await page.getByRole('link', { name: tab, exact: true }).click()
    await expect(page.getByRole('link', { name: tab, exact: true })).toHaveAttribute('aria-current', 'page')
  }
  await answered()
  expect((await cached(page)).filter((path) => !/^\/(login|active-loans|assets\/[\w.-]+\.(js|css))$/.test(path))).toEqual([])

  await page.getByRole('button', { name: /^Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect.poll(() => cached(page)).toEqual([])
  expect(await page.evaluate(() => caches.keys())).toContain('of-somebody-else')
})

test('without a connection the shell opens and says so', async ({ page, context, enter, borrower, browserErrors }) => {
  browserErrors.tolerateConsole(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/)
  await enter((await borrower()).phone)
  await shellIsKept(page)
  await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  await context.setOffline(true)
  await page.goto('/active-loans/payments')
  await expect(page.getByText('You are offline.', { exact: false }).first()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
  await expect(page.getByText('Failed to load loans')).toBeVisible()
  await context.setOffline(false)
  // With the connection everything loads again, the permissions too.
  await expect(page.getByRole('heading', { name: 'Repayment schedule' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Make payment' }).first()).not.toHaveAttribute('aria-disabled')
  await expect(page.getByText('Action not allowed')).toHaveCount(0)
})

test('a new build takes over when the old pages are closed, and an open page keeps to its own', async ({ context, portal, borrower }) => {
  const { phone } = await borrower()
  const site = await startDeployable(portal.url)
  const token = await portal.signIn(phone)
  const old = await context.newPage()
  await old.goto(`${site.url}/favicon.svg`)
  await old.evaluate((kept) => {
    localStorage.setItem('token', kept)
    localStorage.setItem('tokenReceivedAt', String(Date.now()))
  }, token)
  await old.goto(`${site.url}/active-loans`)
  await shellIsKept(old)
  await old.reload()
  await old.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await expect(old.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()

  site.deploy()
  // A page opened now is entirely of the new build …
  const fresh = await context.newPage()
  const loaded: string[] = []
  fresh.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  await fresh.goto(`${site.url}/active-loans`)
  await expect(fresh.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  const code = () => loaded.filter((path) => /^\/assets\/.*\.js$/.test(path))
  expect(code().length).toBeGreaterThan(0)
  expect(code().filter((path) => !path.startsWith('/assets/new-'))).toEqual([])
  // … and the old one still finds the chunks it has not loaded yet, which the server no longer has.
  await old.getByRole('link', { name: 'Documents', exact: true }).click()
  await expect(
    old.getByRole('heading', { name: 'Your documents' }).or(old.getByRole('heading', { name: /documents/i }).first()),
  ).toBeVisible()

  // When the last old page is closed, only the new build's shell is left. Browsers look for a new
  // worker from time to time; a busy server may refuse some of its files, and the browser tries
  // again.
  const waiting = () =>
    fresh.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration()
      if (registration?.waiting === null && registration.installing === null) await registration.update().catch(() => {})
      return registration?.waiting?.state
    })
  await expect.poll(waiting).toBe('installed')
  await old.close()
  await fresh.close()
  const next = await context.newPage()
  await next.goto(`${site.url}/active-loans`)
  await expect
    .poll(async () => {
      const files = (await cached(next)).filter((path) => path.startsWith('/assets/'))
      return files.length > 0 && files.every((path) => path.startsWith('/assets/new-'))
    })
    .toBe(true)
  await next.close()
  await site.close()
})
