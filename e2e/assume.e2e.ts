import type { Page } from '@playwright/test'
import { decodeJwt } from 'jose'
import { expectAccessible } from './accessible.ts'
import { expect, refused, test, watchOpenRequests } from './portal.ts'
import { askToAssume, assumeBorrower, giveReason, newNamesakes, newStaff, pill, searchBox } from './staff.ts'

/** The staff's list, with or without a search. */
const listUrl = /\/users(\?search=[^&]+)?$/

const claims = (page: Page) => page.evaluate(() => localStorage.getItem('token') ?? '').then((token) => decodeJwt(token))
const announced = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })

test('staff act as a borrower: token, person and permissions are the borrower’s, and the pill says so everywhere', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const { phone, borrowerId } = await borrower()
  await enter(await newStaff(portal), '/users')
  const person = page.waitForRequest(`**/auth/users/${borrowerId}`)
  const permissions = page.waitForRequest('**/auth/permissions')
  await assumeBorrower(page, phone)
  expect((await claims(page))['assumed_user_id']).toBe(borrowerId)
  const bearer = `Bearer ${await page.evaluate(() => localStorage.getItem('token'))}`
  expect(await (await person).headerValue('authorization')).toBe(bearer)
  expect(await (await permissions).headerValue('authorization')).toBe(bearer)
  expect(await page.evaluate(() => localStorage.getItem('userData'))).toContain(borrowerId)
  await expect(page.getByText('B.Sc. in physics')).toBeVisible()
  await expect(announced(page, 'You are signed in as Nisha Verma.')).toHaveCount(1)
  await expect(pill(page)).toContainText('You are Sunita Menon')
  await expect(pill(page)).toHaveAccessibleName(/logged in as Nisha Verma.*2\d:\d\d left.*Exit/)
  await expectAccessible(page)

  for (const path of [
    '/active-loans/payments',
    '/user-profile',
    '/faqs',
    '/customer-support',
    '/ongoing-application',
    '/nowhere',
    '/users',
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(pill(page)).toBeVisible()
  }
})

test('the borrower’s notices stay new while staff look at them', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  await enter(phone)
  await page.getByRole('button', { name: 'Account menu' }).waitFor()
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, phone)
  await page.getByRole('button', { name: 'Notices, 1 unread' }).click()
  await expect(page.getByRole('link', { name: /^Your lender’s staff opened your account/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toHaveCount(0)
})

test('staff read before what they will be able to do', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  await enter(await newStaff(portal), '/users')
  await expect(await askToAssume(page, phone)).toContainText(
    'You will see what this borrower sees, and can do the same except autopay. It lasts 30 minutes at most.',
  )
})

test('on the waiting page too', async ({ page, portal, enter, borrower }) => {
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, (await borrower()).phone)
  await page.route('**/portal/payment-link/status*', (route) => route.fulfill({ json: { status: 'created', rps_updated: false } }))
  await page.goto('/payments/waiting-for-payment?razorpay_payment_link_id=plink_1')
  await expect(page.getByRole('dialog').getByRole('button', { name: /^logged in as Nisha Verma/ })).toBeVisible()
  await pill(page).click()
  await expect(page).toHaveURL(listUrl)
})

test('exit ends the assumption and gives the staff member’s own session back', async ({ page, portal, enter, borrower }) => {
  await enter(await newStaff(portal), '/users')
  const own = await claims(page)
  const receivedAt = () => page.evaluate(() => localStorage.getItem('tokenReceivedAt'))
  const ownReceivedAt = await receivedAt()
  await assumeBorrower(page, (await borrower()).phone)
  expect(await receivedAt()).not.toBe(ownReceivedAt)
  const assumed = await page.evaluate(() => localStorage.getItem('token') ?? '')
  await pill(page).click()
  await expect(page).toHaveURL(listUrl)
  await expect(pill(page)).toBeHidden()
  const back = await claims(page)
  expect([back['sid'], back['assumed_user_id'] ?? null]).toEqual([own['sid'], null])
  // The token ends when it would have ended without the borrower.
  expect([back['iat'], back['exp'], await receivedAt()]).toEqual([own['iat'], own['exp'], ownReceivedAt])
  expect((await portal.get('/auth/permissions', assumed)).status).toBe(401)
  await expect(page.getByRole('button', { name: /^Account menu.*Sunita Menon, staff$/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Assume/ }).first()).not.toHaveAttribute('aria-disabled')
})

test('exit leads back to the search, the page and the row, and so does Back after it', async ({ page, portal, enter }) => {
  await newNamesakes(portal, 'Returnwala', 23)
  await page.setViewportSize({ width: 1280, height: 420 })
  await enter(await newStaff(portal), '/users?search=Returnwala&page=2')
  const button = page.getByRole('button', { name: 'Assume Asha18 Returnwala' })
  await button.click()
  const dialog = page.getByRole('dialog')
  await giveReason(dialog)
  const scrolled = await page.evaluate(() => window.scrollY)
  expect(scrolled).toBeGreaterThan(0)
  await dialog.getByRole('button', { name: 'Sign in as Asha18' }).click()
  await expect(page).toHaveURL(/\/active-loans$/)
  await pill(page).click()
  await expect(page).toHaveURL(/\/users\?search=Returnwala&page=2$/)
  await expect(button).toBeFocused()
  await expect(button).toBeInViewport()
  await expect(searchBox(page)).toHaveValue('Returnwala')
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(scrolled)
  await page.goBack()
  await expect(page).toHaveURL(/\/users\?search=Returnwala&page=2$/)
  await expect(page.getByText('Showing 11 to 20 of 23 Entries')).toBeVisible()
  await expect(page.getByText('No Loans Found')).toHaveCount(0)
})

test('exit cancels what the borrower’s page still asks for, and asks nothing of it as staff', async ({ page, portal, enter, borrower }) => {
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, (await borrower()).phone)
  await expect(page.getByText('B.Sc. in physics')).toBeVisible()
  const assumed = `Bearer ${await page.evaluate(() => localStorage.getItem('token'))}`
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('/portal/'))
  const reads: string[] = []
  await page.route('**/api/v1/portal/**', (route) => {
    reads.push(route.request().headers()['authorization'] ?? '')
  })
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>()
  await page.route('**/auth/assume', async (route) => {
    await mayEnd
    await route.continue()
  })
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect.poll(() => reads.length).toBeGreaterThan(0)
  await pill(page).click()
  await cancelled
  letEnd()
  await expect(page.getByRole('button', { name: /^Assume/ }).first()).toBeVisible()
  await expect(pill(page)).toBeHidden()
  expect(new Set(reads)).toEqual(new Set([assumed]))
})

test('exit goes to the list even if its call fails, and says who is still acted for', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(500, '/auth/assume'))
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, (await borrower()).phone)
  await page.route('**/auth/assume', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
  await pill(page).click()
  await expect(page).toHaveURL(listUrl)
  await expect(page.getByRole('heading', { name: 'Borrowers', level: 1 })).toBeVisible()
  await expect(pill(page)).toBeVisible()
  await pill(page).click()
  await expect(pill(page)).toBeHidden()
})

test('another borrower takes the place of the first, never both', async ({ page, portal, enter, borrower }) => {
  const [first, second] = [await borrower(), await borrower()]
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, first.phone)
  const token = await page.evaluate(() => localStorage.getItem('token') ?? '')
  await page.goto('/users')
  await assumeBorrower(page, second.phone)
  expect((await claims(page))['assumed_user_id']).toBe(second.borrowerId)
  expect((await portal.get('/auth/permissions', token)).status).toBe(401)
})

test('staff who act for nobody are taken to their list, by the Back button too', async ({ page, portal, enter, borrower }) => {
  await enter(await newStaff(portal), '/users')
  const sidebar = page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').getByRole('link')
  await expect(sidebar).toHaveText(['Active loans', 'Your profile'])
  await sidebar.first().click()
  await expect(page).toHaveURL(listUrl)
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Borrowers' })).toBeVisible()
  await page.keyboard.press('Escape')

  const answered = watchOpenRequests(page)
  await assumeBorrower(page, (await borrower()).phone)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
  await expect(page.getByRole('heading', { name: 'Completed payments' })).toBeVisible()
  await answered()
  await pill(page).click()
  await expect(page).toHaveURL(listUrl)
  await expect(pill(page)).toBeHidden()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Borrowers', level: 1 })).toBeVisible()
  await expect(page).toHaveURL(listUrl)
  await expect(page.getByText('No Loans Found')).toHaveCount(0)
  for (const path of ['/ongoing-application', '/payments/waiting-for-payment?razorpay_payment_link_id=plink_1']) {
    await page.goto(path)
    await expect(page).toHaveURL(listUrl)
  }
})

for (const { what, sleeps } of [
  { what: 'the browser holds back what repeats', sleeps: false },
  { what: 'the device slept until the person looked again', sleeps: true },
])
  test(`it ends in time where ${what}`, async ({ page, portal, enter, borrower }) => {
    await page.clock.install()
    await enter(await newStaff(portal), '/users')
    await assumeBorrower(page, (await borrower()).phone)
    await page.addInitScript(() => Reflect.set(window, 'setInterval', () => 0))
    await page.goto('/faqs')
    await expect(pill(page)).toBeVisible()
    if (sleeps) {
      // The clock advances without running timers.
      await page.clock.setFixedTime(new Date((await page.evaluate(() => Date.now())) + 29 * 60_000 + 46_000))
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    } else await page.clock.fastForward('29:46')
    await expect(page).toHaveURL(listUrl)
    expect((await claims(page))['assumed_user_id'] ?? null).toBeNull()
  })

test('it ends by itself in time for the list, after saying that it soon will', async ({ page, portal, enter, borrower }) => {
  await page.clock.install()
  await enter(await newStaff(portal), '/users')
  const { phone } = await borrower()
  await page.goto(`/users?search=${phone.slice(3)}`)
  await page.getByRole('button', { name: 'Assume Nisha Verma' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Something else' }).check()
  await dialog.getByLabel('Reason', { exact: true }).fill('Ticket 48213: a question')
  await dialog.getByRole('button', { name: 'Sign in as Nisha' }).click()
  await expect(pill(page)).toBeVisible()
  await page.clock.fastForward('27:46')
  await expect(announced(page, 'You are signed in as Nisha Verma for 2 more minutes at most.')).toHaveCount(1)
  await expect(pill(page)).toContainText(/1:\d\d left/)
  await page.clock.fastForward('02:00')
  await expect(page).toHaveURL(listUrl)
  await expect(pill(page)).toBeHidden()
  expect((await claims(page))['assumed_user_id'] ?? null).toBeNull()
})

test('logging out while acting as a borrower ends both and clears everything', async ({ page, portal, enter, borrower }) => {
  await enter(await newStaff(portal), '/users')
  const own = await page.evaluate(() => localStorage.getItem('token') ?? '')
  await assumeBorrower(page, (await borrower()).phone)
  const assumed = await page.evaluate(() => localStorage.getItem('token') ?? '')
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/admin\/login$/)
  expect(await page.evaluate(() => [{ ...localStorage }, { ...sessionStorage }])).toEqual([{}, {}])
  for (const token of [own, assumed]) await expect.poll(async () => (await portal.get('/auth/permissions', token)).status).toBe(401)
})

test('an assumed session that the server ended leads to the staff login', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(401, '/'))
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, (await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  await portal.post('/auth/logout', {}, await page.evaluate(() => localStorage.getItem('token') ?? ''))
  await page.reload()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/admin\/login$/)
})

test('the borrower sees when, in whose role, why, and what was done', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  await enter(phone, '/user-profile')
  const access = page.getByRole('region', { name: 'Staff access to your account' })
  await expect(access.getByText('No staff member has opened your account.')).toBeVisible()
  await expectAccessible(page)

  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, phone)
  await expect(page.getByText('B.Sc. in physics')).toBeVisible()
  await page.goto('/user-profile')
  await expect(access.getByText('Open now')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Sessions' })).toBeHidden()
  await pill(page).click()
  await expect(pill(page)).toBeHidden()

  await enter(phone, '/user-profile')
  const entry = access.getByRole('listitem')
  await expect(entry).toHaveCount(1)
  await expect(entry).toContainText('Support team')
  await expect(entry).toContainText('Ticket 48213: cannot find the receipt')
  await expect(entry).toContainText('Payment or receipt')
  await expect(entry).toContainText('Viewed only')
  await expect(entry).toContainText(/Looked at .*your loans/)
  await expect(access.getByText('Sunita')).toBeHidden()
  await expectAccessible(page)
})

test('all accesses of staff are shown when asked for, from the first that was hidden', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  const { sub } = decodeJwt(await portal.signIn(phone))
  const token = await portal.signIn(await newStaff(portal))
  for (let ticket = 1; ticket <= 7; ticket++) {
    const { status } = await portal.post('/auth/assume', { user_id_to_assume: sub, reason: `Ticket 4821${ticket}: a receipt` }, token)
    expect(status).toBe(200)
  }
  await enter(phone, '/user-profile')
  const access = page.getByRole('region', { name: 'Staff access to your account' })
  const entries = access.getByRole('list').first().locator(':scope > li')
  await expect(entries).toHaveCount(5)
  await access.getByRole('button', { name: 'Show all 7' }).click()
  await expect(entries).toHaveCount(7)
  await expect(entries.nth(5)).toBeFocused()
})
