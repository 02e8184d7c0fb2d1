import type { Page } from '@playwright/test'
import { freePort } from '#server/database/free-port.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import type { TestCluster } from '#testkit/test-database.ts'
import { startCollector, type Collector } from './collector.ts'
import { newBorrower } from './people.ts'
import { balanced, expect, test, until } from './portal.ts'
import { assumeBorrower, newStaff, searchBox } from './staff.ts'

/** A portal with these telemetry settings, and the collector that it sends to. */
async function withPortal(
  page: Page,
  settings: Record<string, string>,
  run: (portal: App, site: string, collector: Collector) => Promise<void>,
) {
  const collector = await startCollector()
  const port = await freePort()
  const site = `http://localhost:${port}`
  const cluster = JSON.parse(process.env['KIST_TEST_CLUSTER'] ?? '') as TestCluster
  const portal = await startApp(cluster, {
    town: true,
    ...balanced(),
    settings: { PORT: String(port), KIST_ORIGIN: site, KIST_TELEMETRY_URL: collector.url, ...settings },
  })
  try {
    await run(portal, site, collector)
  } finally {
    // Later requests of the page would find no server.
    await page.close()
    await portal.close()
    await collector.close()
  }
}

async function enter(page: Page, portal: App, site: string, phone: string, path: string): Promise<string> {
  const before = portal.outbox().length
  const { body: sent } = await portal.post('/auth/login', { phone })
  const otp = await until(
    () =>
      portal
        .outbox()
        .slice(before)
        .findLast(({ to, code }) => to === phone && code !== null)?.code,
  )
  const { body } = await portal.post('/auth/verify', { session_token: sent['session_token'], otp })
  await page.goto(`${site}/favicon.svg`, { waitUntil: 'commit' })
  await page.evaluate(
    ({ token, user }) => {
      localStorage.setItem('token', token)
      localStorage.setItem('tokenReceivedAt', String(Date.now()))
      localStorage.setItem('userData', user)
    },
    { token: String(body['token']), user: JSON.stringify(body['user']) },
  )
  await page.goto(site + path)
  return String((body['user'] as { user_id: unknown }).user_id)
}

test('with another flag than the text true nothing is loaded and nothing sent', async ({ page }) => {
  await withPortal(page, { KIST_TELEMETRY: 'TRUE' }, async (portal, site, collector) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await enter(page, portal, site, (await newBorrower(portal)).phone, '/active-loans')
    await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect(asked.filter((url) => !url.startsWith(site) || /telemetry/.test(url))).toEqual([])
    expect(collector.texts).toEqual([])
  })
})

test('I14: switched on, it reports what was measured and who is here, and never a phone or a PAN', async ({ page }) => {
  await withPortal(page, { KIST_TELEMETRY: 'true' }, async (portal, site, collector) => {
    const borrower = await newBorrower(portal)
    const userId = await enter(page, portal, site, borrower.phone, '/active-loans/payments')
    const named = await until(() => collector.batches.find(({ meta }) => meta.user?.['fullName']))
    expect(named.meta.app).toMatchObject({ name: 'kist', version: '0.0.1' })
    expect(named.meta.session?.id).toBeTruthy()
    expect(named.meta.user).toEqual({
      id: userId,
      username: 'Nisha',
      fullName: 'Nisha Verma',
      roles: expect.any(String),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      email: 'nisha.verma@example.in',
    })
    // Each call made from now on is a span.
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await until(() => collector.batches.some(({ traces }) => (traces?.resourceSpans?.length ?? 0) > 0))

    // Staff search for the borrower by phone and act as them: telemetry reports the staff member.
    const staffPhone = await newStaff(portal)
    const before = collector.batches.length
    const staffId = await enter(page, portal, site, staffPhone, '/users')
    await searchBox(page).fill('ABCPE1234F')
    await expect(page).toHaveURL(/search=ABCPE1234F/)
    await assumeBorrower(page, borrower.phone.slice(3))
    await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
    const sentAsStaff = () => collector.batches.slice(before).filter(({ meta }) => meta.user?.['id'] === staffId)
    await until(() => sentAsStaff().some(({ meta }) => meta.page?.url === `${site}/active-loans`))
    for (const { meta } of sentAsStaff()) expect(meta.user?.['fullName']).toBe('Sunita Menon')

    const everything = collector.texts.join('\n')
    for (const secret of [borrower.phone.slice(3), staffPhone.slice(3), 'ABCPE1234F', 'search=']) expect(everything).not.toContain(secret)
    expect(JSON.stringify(sentAsStaff())).not.toMatch(/Verma|nisha/)
  })
})

test('the lender may have it without names and e-mail', async ({ page }) => {
  await withPortal(page, { KIST_TELEMETRY: 'true', KIST_TELEMETRY_ANONYMOUS: 'true' }, async (portal, site, collector) => {
    const userId = await enter(page, portal, site, (await newBorrower(portal)).phone, '/active-loans')
    const told = await until(() => collector.batches.find(({ meta }) => meta.user?.['id']))
    expect(told.meta.user).toEqual({ id: userId, roles: expect.any(String), hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(collector.texts.join('\n')).not.toMatch(/Nisha|Verma|nisha\.verma/)
  })
})
