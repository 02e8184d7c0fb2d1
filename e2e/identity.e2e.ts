import type { Page } from '@playwright/test'
import { pending } from './payments-tab.ts'
import { startPayment } from './people.ts'
import { expect, refused, test } from './portal.ts'
import { assumeBorrower, newStaff, pill } from './staff.ts'

const makePayment = (page: Page) => page.getByRole('button', { name: 'Make payment' })

test('another borrower assumed in another tab: nothing of the first stays on this one’s screen', async ({
  page,
  context,
  portal,
  enter,
  borrower,
}) => {
  const first = await borrower({ title: 'First loan', rupees: 111_000 })
  const second = await borrower({ title: 'Second loan', rupees: 222_000 })
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, first.phone)
  const other = await context.newPage()
  await other.goto('/active-loans/payments')
  await expect(other.getByText('First loan', { exact: true })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Repayment schedule' })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Completed payments' })).toBeVisible()
  const permissions = other.waitForRequest('**/auth/permissions')

  // From one borrower to the next without touching the other tab.
  await page.goto('/users')
  await assumeBorrower(page, second.phone)
  const bearer = `Bearer ${await page.evaluate(() => localStorage.getItem('token'))}`
  await expect(other.getByText('Second loan', { exact: true })).toBeVisible()
  await expect(other.getByText('First loan', { exact: true })).toHaveCount(0)
  await expect(other.getByRole('heading', { name: 'Repayment schedule' })).toBeVisible()
  await expect(other.getByRole('main')).not.toContainText(first.lan)
  expect(await (await permissions).headerValue('authorization')).toBe(bearer)
  await expect(other).toHaveURL(/\/active-loans\/payments$/)

  // Signed out: no borrower's loans may stay visible.
  await pill(page).click()
  await expect(other).toHaveURL(/\/users$/)
  await expect(other.getByText('Second loan', { exact: true })).toHaveCount(0)
})

test('permissions that could not be loaded deny nothing, and come by themselves', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(500, '/auth/permissions'))
  const { phone } = await borrower()
  let isBroken = true
  await page.route('**/auth/permissions', (route) => (isBroken ? route.fulfill({ status: 500, body: '' }) : route.continue()))
  await enter(phone, '/active-loans/documents')
  // As text: a phone has no hints.
  const reason = page.getByRole('paragraph').filter({ hasText: 'We could not load your permissions. Trying again…' })
  await expect(page.getByRole('region', { name: 'Get a document' }).locator(reason)).toBeVisible()
  await expect(page.getByText('Action not allowed')).toHaveCount(0)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(makePayment(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(reason).toBeVisible()
  await page.goBack()
  isBroken = false
  await expect(page.getByRole('button', { name: 'Download Statement of account' })).not.toHaveAttribute('aria-disabled')
  await expect(page.getByText('We could not load your permissions.')).toHaveCount(0)
})

test('a button whose permission is being loaded says so, and stays in its place when it is known', async ({ page, enter, borrower }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const { phone } = await borrower()
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/auth/permissions', async (route) => {
    await released
    await route.continue()
  })
  await enter(phone, '/active-loans/payments')
  const button = makePayment(page)
  await expect(button).toHaveAccessibleDescription('Loading your permissions…')
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  const top = (await button.boundingBox())?.y
  release()
  await expect(button).not.toHaveAttribute('aria-disabled')
  await expect(button).toHaveAccessibleDescription('')
  expect((await button.boundingBox())?.y).toBe(top)
})

test('a page that comes back from the browser’s cache shows who is signed in now', async ({ page, enter, borrower }) => {
  await enter((await borrower({ title: 'First loan' })).phone)
  await expect(page.getByText('First loan', { exact: true })).toBeVisible()
  // A cached page misses changes: no event reports one. This browser has no back/forward cache, so
  // the test dispatches the event.
  await page.evaluate(() => {
    localStorage.removeItem('token')
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByText('First loan', { exact: true })).toHaveCount(0)
})

test('a token that expires without any input is reported', async ({ page, enter, borrower }) => {
  await page.clock.install()
  await enter((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  await page.evaluate(() => localStorage.setItem('tokenReceivedAt', String(Date.now() - 13 * 3_600_000)))
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await expect(page.getByRole('alertdialog', { name: 'Please sign in again' })).toBeVisible()
})

test('a pending payment is looked at again while the page is used, and not when nobody does', async ({ page, portal, enter, borrower }) => {
  await page.clock.install()
  const person = await borrower()
  await startPayment(portal, person)
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/portal/ongoing-payment')) asked += 1
  })
  await enter(person.phone, '/active-loans/payments')
  await expect(pending(page)).toBeVisible()
  // Steps short enough for a response between two polls.
  for (let step = 0; step < 3; step++) {
    const answered = page.waitForResponse('**/portal/ongoing-payment**')
    await page.clock.fastForward(11_000)
    await answered
  }

  await page.clock.fastForward('05:00')
  // A poll that was due before may still be under way when the first steps are counted.
  await expect(async () => {
    const unattended = asked
    for (let step = 0; step < 4; step++) await page.clock.fastForward(11_000)
    expect(asked).toBe(unattended)
  }).toPass()

  const again = page.waitForRequest('**/portal/ongoing-payment**')
  await page.keyboard.press('Shift')
  await again
})
