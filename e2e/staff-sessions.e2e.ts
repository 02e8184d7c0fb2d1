import { expect, refused, test } from './portal.ts'

test('a borrower sees where they are logged in, and signs out everywhere else', async ({ page, portal, signIn, borrower }) => {
  const { phone } = await borrower()
  const [oldest, ...others] = [await portal.signIn(phone), await portal.signIn(phone), await portal.signIn(phone)]
  await signIn(phone)
  await page.getByRole('link', { name: 'Your profile' }).click()
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await expect(sessions.getByRole('listitem')).toHaveCount(4)
  await expect(sessions.getByRole('listitem').filter({ hasText: 'This device' })).toContainText(/Chrome on /)
  await expect(sessions.getByText('Unknown device', { exact: true })).toHaveCount(3)

  // One of them, asked first.
  await sessions
    .getByRole('listitem')
    .last()
    .getByRole('button', { name: /^Sign out.*Unknown device$/ })
    .click()
  const single = page.getByRole('dialog', { name: 'Sign out of Unknown device?' })
  await expect(single.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await single.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(sessions.getByRole('status')).toHaveText('1 other device was signed out.')
  await expect(sessions.getByRole('status')).toBeFocused()
  await expect(sessions.getByRole('listitem')).toHaveCount(3)
  for (const [token, status] of [
    [oldest, 401],
    [others[0], 200],
    [others[1], 200],
  ] as const)
    expect((await portal.get('/auth/permissions', token)).status).toBe(status)

  const end = sessions.getByRole('button', { name: 'Sign out of other devices' })
  await end.click()
  const dialog = page.getByRole('dialog', { name: 'Sign out of other devices?' })
  await expect(dialog.getByRole('button', { name: 'Keep them' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  expect((await portal.get('/auth/permissions', others[0])).status).toBe(200)

  await end.click()
  await dialog.getByRole('button', { name: 'Sign out of other devices' }).click()
  await expect(dialog).toBeHidden()
  await expect(sessions.getByRole('status')).toHaveText('2 other devices were signed out.')
  await expect(sessions.getByRole('listitem')).toHaveCount(1)
  await expect(end).toBeHidden()
  for (const token of others) expect((await portal.get('/auth/permissions', token)).status).toBe(401)
})

test('a failure to sign out other devices is shown in the dialog', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/auth/sessions'))
  const { phone } = await borrower()
  await portal.signIn(phone)
  await enter(phone, '/user-profile')
  await page.route('**/auth/sessions', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 503, body: '' }) : route.continue(),
  )
  await page.getByRole('button', { name: 'Sign out of other devices' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Sign out of other devices' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Backend is temporarily down. Please try again.')
})
