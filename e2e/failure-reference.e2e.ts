import { expect, refused, test } from './portal.ts'

test('what failed shows the request that support finds it by, to be copied', async ({ page, enter, borrower, portal, complaints }) => {
  complaints.expectConsole(refused(500, '/portal/loans-summary'))
  complaints.tolerateConsole(refused(500, '/portal/notices'))
  const answers: Promise<{ request_id: string }>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/portal/loans-summary')) answers.push(response.json() as Promise<{ request_id: string }>)
  })
  const asked = async () => (await Promise.all(answers)).map(({ request_id }) => request_id)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const { phone } = await borrower()
  const { database } = portal.context
  portal.context.database = { ...database, asBorrower: () => Promise.reject(new Error('broken on purpose')) }
  await enter(phone)
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load loans' })
  await expect(panel).toContainText(/Error reference [0-9a-f-]{36}/)
  const requestId = /Error reference ([0-9a-f-]{36})/.exec((await panel.textContent()) ?? '')?.[1] ?? ''
  // The page asks early and, after a failure, once more: what is shown is of the last answer.
  expect(await asked()).toContain(requestId)
  portal.context.database = database
  await panel.getByRole('button', { name: 'Copy' }).click()
  await expect(panel.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(requestId)
})
