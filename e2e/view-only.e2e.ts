import { expectAccessible } from './accessible.ts'
import { expect, test } from './portal.ts'
import { askToAssume, giveReason, newStaff, pill } from './staff.ts'

test.use({ portalSettings: { KIST_ASSUME_PROFILE: 'view' } })

test('staff who may only look are told before, on every page, and where they would act', async ({ page, portal, enter, borrower }) => {
  await enter(await newStaff(portal), '/users')
  const dialog = await askToAssume(page, (await borrower()).phone)
  await expect(dialog.getByText('View-only access: you cannot change anything. It lasts 30 minutes at most.')).toBeVisible()
  await giveReason(dialog)
  await dialog.getByRole('button', { name: 'Sign in as Nisha' }).click()
  await expect(pill(page)).toContainText('You are Sunita Menon · You may look, not change')
  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  await expect(page.getByText('Action not allowed: view-only access').first()).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(page.getByRole('button', { name: /बाहर निकलें/ })).toContainText('आप देख सकते हैं, बदल नहीं सकते')
})
