import type { Page } from '@playwright/test'
import { requestCode, expect, firstBox, pauseClock, refused, test, typeCode, wrongCode } from './portal.ts'
import { newPhone } from './people.ts'
import { newStaff } from './staff.ts'

const verifyButton = (page: Page) => page.getByRole('button', { name: 'Verify and sign in' })
const notAccepted = (page: Page) => page.getByText('This OTP was not accepted. Enter the OTP from the latest SMS, or ask for a new one.')
const notAdmin = (page: Page) => page.getByRole('alert').filter({ hasText: 'You do not have admin privileges. Please contact support.' })
const stored = (page: Page) => page.evaluate(() => [localStorage.getItem('token'), localStorage.getItem('userData')])

async function sendNumber(page: Page, phone: string): Promise<void> {
  await page.getByLabel('Mobile number').fill(phone.slice(3))
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByRole('heading', { name: 'Enter the 6-digit OTP' })).toBeVisible()
}

test('staff log in with the code from the SMS and land on the list of borrowers', async ({ page, portal }) => {
  const phone = await newStaff(portal)
  await page.goto('/admin/login')
  await expect(page.getByRole('heading', { name: 'Staff sign-in', level: 1 })).toBeVisible()
  await expect(page).toHaveTitle('Staff sign-in - Kist')
  const code = await requestCode(page, portal, phone)
  await expect(firstBox(page)).toBeFocused()
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/users$/)
  await expect(page.getByRole('heading', { name: 'Borrowers', level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Account menu.*Sunita Menon, staff$/ })).toBeVisible()

  await page.goto('/admin/login')
  await expect(page).toHaveURL(/\/users$/)
  await page.goto('/')
  await expect(page).toHaveURL(/\/users$/)
})

test('a link to a page of Operations that is opened without a session is shown after the sign-in', async ({ page, portal }) => {
  const phone = await newStaff(portal, { opens: true })
  await page.goto('/operations/loans?search=asha')
  await expect(page).toHaveURL(/\/admin\/login$/)
  await typeCode(page, await requestCode(page, portal, phone))
  await verifyButton(page).click()
  await expect(page).toHaveURL(/\/operations\/loans$/)
  await expect(page.getByRole('heading', { name: 'Operations', level: 1 })).toBeVisible()
})

test('ten digits are asked for', async ({ page }) => {
  await page.goto('/admin/login')
  await page.getByLabel('Mobile number').fill('98765')
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Enter a valid 10-digit mobile number' })).toBeVisible()
  await expect(page.getByLabel('Mobile number')).toBeFocused()
})

test('a borrower with the right code is turned away: an alert, the phone step, and no session is kept', async ({
  page,
  portal,
  borrower,
}) => {
  const { phone } = await borrower()
  await page.goto('/admin/login')
  const verified = page.waitForResponse('**/auth/verify')
  await typeCode(page, await requestCode(page, portal, phone))
  await verifyButton(page).click()
  await expect(notAdmin(page)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Staff sign-in' })).toBeVisible()
  expect(await stored(page)).toEqual([null, null])
  const { token } = (await (await verified).json()) as { token: string }
  await expect.poll(async () => (await portal.get('/auth/permissions', token)).status).toBe(401)

  await page.getByLabel('Mobile number').fill('98')
  await expect(notAdmin(page)).toBeHidden()
})

test('A18: an unknown number looks like any other until the right code', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(404, '/auth/login'))
  browserErrors.expectConsole(refused(400, '/auth/verify'))
  const known = (await borrower()).phone
  const staff = await newStaff(portal)
  const screens: string[] = []
  await page.clock.install()
  for (const phone of [newPhone(), known, staff]) {
    await page.goto('/admin/login')
    const before = portal.outbox().length
    await sendNumber(page, phone)
    await expect(page.getByRole('button', { name: /Resend OTP in \d+s/ })).toBeVisible()
    // The three are compared while another code must be waited for.
    await pauseClock(page)
    const code = portal.outbox().slice(before).at(-1)?.code ?? '000000'
    await typeCode(page, wrongCode(code))
    await verifyButton(page).click()
    await expect(notAccepted(page)).toBeVisible()
    await page.clock.runFor(1_000)
    await expect(verifyButton(page)).not.toHaveAttribute('aria-disabled')
    await expect(page.getByText(/^OTP sent at \d+:\d\d [ap]m$/)).toBeVisible()
    const shown = await page.getByRole('main').innerText()
    screens.push(shown.replace(/\+91 .*\d/, 'the number').replace(/in \d+s|\d+:\d\d [ap]m/g, ''))
    await page.clock.resume()
  }
  expect(screens).toEqual([screens[0], screens[0], screens[0]])
})

test('another code can be asked for when the countdown is over', async ({ page, portal }) => {
  const phone = await newStaff(portal)
  await page.clock.install()
  await page.goto('/admin/login')
  await requestCode(page, portal, phone)
  const resend = page.getByRole('button', { name: 'Resend OTP' })
  await expect(resend).toHaveAttribute('aria-disabled', 'true')
  await page.clock.fastForward(31_000)
  await expect(resend).not.toHaveAttribute('aria-disabled')
  const before = portal.outbox().length
  await resend.click()
  await expect(page.getByRole('button', { name: /Resend OTP in \d+s/ })).toBeVisible()
  await expect.poll(() => portal.outbox().slice(before).length).toBe(1)
})

test('a failure of the server is reported at the phone step, and trying again works', async ({ page, portal, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/auth/login'))
  const phone = await newStaff(portal)
  await page.goto('/admin/login')
  await page.route('**/auth/login', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
  await page.getByLabel('Mobile number').fill(phone.slice(3))
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Backend is temporarily down. Please try again.' })).toBeVisible()
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByRole('heading', { name: 'Enter the 6-digit OTP' })).toBeVisible()
})

test('changing the number leads back, with nothing left of the code', async ({ page, portal }) => {
  await page.goto('/admin/login')
  await requestCode(page, portal, await newStaff(portal))
  await page.keyboard.type('12')
  await page.getByRole('button', { name: 'Change number' }).click()
  await expect(page.getByRole('heading', { name: 'Staff sign-in' })).toBeFocused()
})
