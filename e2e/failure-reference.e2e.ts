import { expect, refused, test } from './portal.ts'

test('what failed shows the request that support finds it by, to be copied', async ({ page, enter, borrower, portal, complaints }) => {
  complaints.expectConsole(refused(500, '/portal/loans-summary'))
  complaints.tolerateConsole(refused(500, '/portal/notices'))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const { phone } = await borrower()
  const { database } = portal.context
  portal.context.database = { ...database, asBorrower: () => Promise.reject(new Error('broken on purpose')) }
  const answer = page.waitForResponse('**/portal/loans-summary')
  await enter(phone)
  const { request_id: requestId } = (await (await answer).json()) as { request_id: string }
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load loans' })
  await expect(panel).toContainText(`Error reference ${requestId}`)
  portal.context.database = database
  await panel.getByRole('button', { name: 'Copy' }).click()
  await expect(panel.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(requestId)
})
