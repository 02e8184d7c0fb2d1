import type { Page, Route } from '@playwright/test'
import { demoPhone } from '#testkit/demo-town.ts'
import type { App } from '#testkit/start-app.ts'
import { expect, refused, requestCode, test, typeCode } from './portal.ts'

const storedToken = (page: Page): Promise<string | null> => page.evaluate(() => localStorage.getItem('token'))

async function openLogoutDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await expect(page.getByRole('dialog', { name: 'Sign out?' })).toBeVisible()
}
const confirmLogout = (page: Page): Promise<void> => page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()

async function revoke(page: Page, portal: App): Promise<void> {
  const { status } = await portal.post('/auth/logout', {}, (await storedToken(page)) ?? '')
  expect(status).toBe(200)
}

test('without a session every page leads to the login', async ({ page }) => {
  test.slow()
  for (const path of [
    '/',
    '/active-loans',
    '/active-loans/payments',
    '/user-profile',
    '/faqs',
    '/customer-support',
    '/ongoing-application',
  ]) {
    await page.goto(path)
    await expect(page).toHaveURL(/\/login$/)
    await expect(page.getByRole('heading', { name: 'Sign in to your loan' })).toBeVisible()
  }
})

test('who is signed in already is taken from the login to the loans', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/login')
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('an application on its way is the first page of its borrower', async ({ page, enter }) => {
  await enter(demoPhone(3))
  await expect(page).toHaveURL(/\/ongoing-application$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('a token that has run out counts as none', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
  await page.evaluate(() => localStorage.setItem('tokenReceivedAt', String(Date.now() - 13 * 3_600_000)))
  await page.goto('/active-loans')
  await expect(page).toHaveURL(/\/login$/)
})

test('logging out is asked first; staying changes nothing', async ({ page, enter, borrower, portal }) => {
  await enter((await borrower()).phone)
  const token = (await storedToken(page)) ?? ''
  await page.getByRole('link', { name: 'Your profile' }).click()
  await expect(page).toHaveURL(/\/user-profile$/)
  await openLogoutDialog(page)
  const stay = page.getByRole('button', { name: 'Stay signed in' })
  await expect(stay).toBeFocused()
  await stay.click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await openLogoutDialog(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  expect((await portal.get('/auth/permissions', token)).status).toBe(200)

  await openLogoutDialog(page)
  await confirmLogout(page)
  await expect(page).toHaveURL(/\/login$/)
  expect(await page.evaluate(() => [localStorage.getItem('token'), localStorage.getItem('userData')])).toEqual([null, null])
  await expect.poll(async () => (await portal.get('/auth/permissions', token)).status).toBe(401)
  await page.goBack()
  await expect(page).toHaveURL(/\/login$/)
})

for (const [what, answer] of [
  ['does not get through', { error: /net::ERR_FAILED/, act: 'abort' }],
  ['fails', { error: refused(500, '/auth/logout'), act: 'fail' }],
] as const)
  test(`logging out works when its call ${what}`, async ({ page, enter, borrower, browserErrors }) => {
    browserErrors.expectConsole(answer.error)
    await enter((await borrower()).phone)
    await page.route('**/auth/logout', (route) => (answer.act === 'abort' ? route.abort() : route.fulfill({ status: 500, body: '' })))
    await openLogoutDialog(page)
    await confirmLogout(page)
    await expect(page).toHaveURL(/\/login$/)
    expect(await storedToken(page)).toBeNull()
  })

test('a session ended elsewhere is reported, and leads its person back to the page, nobody else', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.tolerateConsole(refused(401, '/'))
  const { phone } = await borrower()
  const signInHere = async (person: string) => {
    await expect(page).toHaveURL(/\/login$/)
    await typeCode(page, await requestCode(page, portal, person))
    await page.keyboard.press('Enter')
  }
  await enter(phone)
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  // The session ends after the tab's request: earlier requests of the page may finish at any time.
  const endThenAsk = async (route: Route) => {
    await revoke(page, portal)
    await route.continue()
  }
  await page.route('**/portal/completed-payments**', endThenAsk, { times: 1 })
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  const modal = page.getByRole('alertdialog', { name: 'Please sign in again' })
  await expect(modal.getByText('Your session has expired. Please sign in again.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(modal).toBeVisible()
  await modal.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)
  expect(await storedToken(page)).toBeNull()
  await signInHere(phone)
  await expect(page).toHaveURL(/\/active-loans\/payments$/)

  // Another person, from the same page.
  await revoke(page, portal)
  await page.reload()
  await modal.getByRole('button', { name: 'Sign in' }).click()
  await signInHere((await borrower({ title: 'B.Sc. in botany' })).phone)
  await expect(page.getByText('B.Sc. in botany')).toBeVisible()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('a session that ended before the page opened is reported the same way', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(401, '/'))
  await enter((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  await revoke(page, portal)
  await page.reload()
  await expect(page.getByRole('alertdialog', { name: 'Please sign in again' })).toBeVisible()
})

test('logging out in one tab ends the session in the other', async ({ page, context, enter, borrower }) => {
  await enter((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/active-loans')
  await openLogoutDialog(other)
  await confirmLogout(other)
  await expect(other).toHaveURL(/\/login$/)
  await expect(page).toHaveURL(/\/login$/)
})

test('the next person on this device sees nothing of the last one', async ({ page, signIn, borrower }) => {
  const [first, second] = [await borrower({ title: 'First loan' }), await borrower({ title: 'Second loan' })]
  await signIn(first.phone)
  await expect(page.getByText('First loan')).toBeVisible()
  await openLogoutDialog(page)
  await confirmLogout(page)
  await expect(page).toHaveURL(/\/login$/)
  await signIn(second.phone)
  await expect(page.getByText('Second loan')).toBeVisible()
  await expect(page.getByText('First loan')).toBeHidden()
})
