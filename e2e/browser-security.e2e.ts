import { demoPhone } from '#testkit/demo-town.ts'
import { expect, test } from './portal.ts'

test('H02: a planted inline script does not run, and the browser reports it', async ({ page, browserErrors }) => {
  browserErrors.expectConsole(/content security policy: script-src/)
  browserErrors.tolerateConsole(/inline script/i)
  await page.route('**/login', async (route) => {
    const response = await route.fetch()
    const planted = (await response.text()).replace('</body>', '<script>document.documentElement.dataset.planted = "yes"</script></body>')
    expect(planted).toContain('planted')
    await route.fulfill({ response, body: planted })
  })
  await page.goto('/login')
  await expect(page.getByRole('textbox').first()).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.dataset['planted'])).toBeUndefined()
})

test('H10: the browser stores no PAN, loan or document, and a phone only in the person’s own data', async ({ page, signIn }) => {
  const phone = demoPhone(1)
  await signIn(phone)
  await expect(page.getByText('KST-24-004173').first()).toBeVisible()
  for (const [path, heading] of [
    ['/active-loans/payments', 'Repayment schedule'],
    ['/active-loans/documents', 'Get a document'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible()
  }
  await page.goto('/user-profile')
  await expect(page.getByText('AKRPD7301A')).toBeVisible()
  const stored = await page.evaluate(async () => ({
    local: { ...localStorage } as Record<string, string>,
    session: { ...sessionStorage } as Record<string, string>,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    cached: (
      await Promise.all(
        (await caches.keys()).map(async (name) => {
          const cache = await caches.open(name)
          return (await cache.keys()).map((request) => new URL(request.url).pathname)
        }),
      )
    ).flat(),
  }))
  expect(stored.databases).toEqual([])
  expect(stored.cached.filter((path) => path.startsWith('/api/'))).toEqual([])
  // The token is random; the lead id of the last shown loan lets the next start request that loan
  // early.
  const { userData = '', token: _token, shownLead: _shownLead, ...others } = stored.local
  const everything = JSON.stringify([userData, others, stored.session])
  for (const value of ['AKRPD7301A', 'KST-24-004173', 'LEAD-', 'sanctioned', 'amount', 'document_id'])
    expect(everything).not.toContain(value)
  expect(JSON.parse(userData)).toMatchObject({ pan: 'AKRPD****A', metadata: { pan: 'AKRPD****A', first_name: 'Ananya' } })
  expect(JSON.stringify([others, stored.session])).not.toContain(phone.slice(-10))
})
