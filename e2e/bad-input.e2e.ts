import type { Locator, Page, Route } from '@playwright/test'
import { pdf } from '#server/documents/files.testing.ts'
import { addPerson } from '#testkit/builders.ts'
import { codeFor, expect, openLogin, refused, requestCode, test, typeCode, waitForIdleLoads } from './portal.ts'
import { completed, countdown, goToHostedPage, optionCard, payButton, pending } from './payments-tab.ts'
import { addOwnLoan, newPhone, startPayment } from './people.ts'

/** Bad input and bad conditions, each with its defined result (docs/screens.md). */

async function paste(page: Page, into: Locator, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await into.fill('')
  await into.focus()
  await page.keyboard.press('ControlOrMeta+V')
}

test('amounts: nothing, an exponent, crores with paise, Devanagari digits', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  const dialog = page.getByRole('dialog', { name: 'Part payment' })
  const amount = dialog.getByLabel('Amount')
  for (const [pasted, shown, problem] of [
    ['₹0', '0', 'Please enter a valid amount'],
    ['₹1e3', '', 'Please enter a valid amount'],
    ['₹12,34,56,789.99', '12,34,56,789.99', /^Amount cannot exceed ₹/],
    ['-500', '500', /^Amount must be at least ₹/],
  ] as const) {
    await paste(page, amount, pasted)
    await expect(amount).toHaveValue(shown)
    await expect(dialog.getByText(problem)).toBeVisible()
    await expect(dialog.getByRole('button', { name: /^Continue/ })).toHaveAttribute('aria-disabled', 'true')
  }
  await paste(page, amount, '₹ २०,०००.५०')
  await expect(dialog.getByRole('button', { name: 'Continue with ₹20,000.50' })).not.toHaveAttribute('aria-disabled')
})

test('a code in Devanagari digits opens', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  await typeCode(
    page,
    code.replace(/\d/g, (digit) => String.fromCharCode(0x0966 + Number(digit))),
  )
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('names of forty characters, in either script, fit a phone', async ({ page, portal, enter }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [firstName, lastName] of [
    ['Venkatanarasimharajuvaripetaramaswamyxyz', 'Thiruvananthapuramsubramaniamiyerchettia'],
    ['श्रीमन्महाराजाधिराजविक्रमादित्यसिंहदेव', 'चट्टोपाध्यायभट्टाचार्यगंगोपाध्यायमुखर्जी'],
  ] as const) {
    const phone = newPhone()
    const borrowerId = await addPerson(portal.database, portal.clock.now(), { phone, firstName, lastName })
    await addOwnLoan(portal, borrowerId, {})
    for (const path of ['/active-loans', '/user-profile']) {
      await enter(phone, path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    }
    await expect(page.getByRole('main').getByText(firstName)).toBeVisible()
    await page.setViewportSize({ width: 1280, height: 800 })
    const menu = page.getByRole('banner').getByRole('button', { name: lastName })
    await expect(menu).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280)
    await page.setViewportSize({ width: 360, height: 740 })
  }
})

test('a session that ends in the middle of a payment: nothing is made, and signing in leads on', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(401, '/portal/'))
  const { phone } = await borrower()
  await enter(phone, '/active-loans/payments')
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  const before = ((await portal.sandbox('/state')) as { links: unknown[] }).links.length
  const token = await page.evaluate(() => localStorage.getItem('token') ?? '')
  const endThenAsk = async (route: Route) => {
    await portal.post('/auth/logout', {}, token)
    await route.continue()
  }
  await page.route('**/portal/payment-link?*', endThenAsk, { times: 1 })
  await payButton(page).click()
  const modal = page.getByRole('alertdialog', { name: 'Please sign in again' })
  await expect(modal).toContainText('Your session has expired. Please sign in again.')
  await expect(countdown(page)).toBeHidden()
  expect(((await portal.sandbox('/state')) as { links: unknown[] }).links).toHaveLength(before)

  await modal.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)
  const sent = portal.outbox().length
  await page.getByLabel('Mobile number').fill(phone.slice(3))
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByRole('heading', { name: 'Enter the 6-digit OTP' })).toBeVisible()
  await typeCode(page, await codeFor(portal, phone, sent))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
  await goToHostedPage(page)
})

test('with storage blocked everything works until the page is closed', async ({ page, portal, borrower }) => {
  await page.addInitScript(() => {
    for (const area of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, area, {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
  })
  const { phone } = await borrower()
  await openLogin(page)
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  await page.getByRole('button', { name: 'English' }).click()
  const code = await requestCode(page, portal, phone)
  await typeCode(page, code)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/active-loans$/)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await payButton(page).click()
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(pending(page)).toBeVisible()
  await page.reload()
  await expect(page).toHaveURL(/\/login$/)
})

test('offline at each step: it is shown where it happens, nothing typed is lost, and with the connection it goes on', async ({
  page,
  context,
  portal,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(/ERR_INTERNET_DISCONNECTED/)
  test.slow()
  browserErrors.expectConsole(/Failed to fetch dynamically imported module/)
  const unable = 'Unable to connect to server. Please check your internet connection and try again.'
  const { phone } = await borrower()

  // The code.
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  await typeCode(page, code)
  await context.setOffline(true)
  await page.keyboard.press('Enter')
  await expect(page.getByText(unable)).toBeVisible()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Verify and sign in' }).click()
  await expect(page).toHaveURL(/\/active-loans$/)

  // The start of a payment.
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await waitForIdleLoads(page)
  await context.setOffline(true)
  await expect(page.getByText('You are offline. What you see may not be up to date.')).toBeVisible()
  await payButton(page).click()
  await expect(page.getByText('Failed to create payment. Please try again.')).toBeVisible()
  await context.setOffline(false)
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await payButton(page).click()
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()

  // Its cancelling.
  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  const question = page.getByRole('dialog', { name: 'Cancel this payment?' })
  await context.setOffline(true)
  await question.getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(question.getByText('Failed to cancel payment. Please try again.')).toBeVisible()
  await context.setOffline(false)
  await question.getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(pending(page)).toBeHidden()
  await expect(completed(page)).toHaveCount(3)

  // An upload.
  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const upload = page.getByRole('dialog', { name: 'Upload a document' })
  await upload.getByText('Others', { exact: true }).click()
  await upload.locator('input[type=file]').first().setInputFiles({ name: 'marks.pdf', mimeType: 'application/pdf', buffer: pdf() })
  await context.setOffline(true)
  await upload.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(upload.getByRole('alert').last()).toContainText(unable)
  await context.setOffline(false)
  await upload.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByText('marks.pdf has been uploaded.')).toBeVisible()

  // A page whose code was not loaded yet.
  await context.setOffline(true)
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'FAQs' }).click()
  await expect(page.getByRole('alert').filter({ hasText: unable })).toBeVisible()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'FAQs', level: 1 })).toBeVisible()
})

test('a payment awaited offline is found when the connection is back', async ({
  page,
  context,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(/ERR_INTERNET_DISCONNECTED/)
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, `/payments/waiting-for-payment?razorpay_payment_link_id=${linkId}`)
  await expect(page.getByText('We are waiting for your bank to confirm the payment.')).toBeVisible()
  const failed = page.waitForEvent('requestfailed')
  await context.setOffline(true)
  await failed
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await expect(page.getByRole('alert')).toHaveCount(0)
  const notice = page.getByText('You are offline. What you see may not be up to date.')
  await expect(notice).toBeVisible()
  await context.setOffline(false)
  await expect(notice).toHaveCount(0)
  await expect(page.getByText('Payment successful! Your loan balance has been updated.')).toBeVisible()
})

test('a wrong digit in the middle is corrected in place, and a separator takes its digit along', async ({ page, enter, borrower }) => {
  await page.goto('/login')
  const phone = page.getByLabel('Mobile number')
  const caret = () => phone.evaluate((input: HTMLInputElement) => input.selectionStart)
  await phone.pressSequentially('9876543210')
  await expect(phone).toHaveValue('98765 43210')
  for (let step = 0; step < 8; step++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Backspace')
  await expect(phone).toHaveValue('98654 3210')
  expect(await caret()).toBe(2)
  await page.keyboard.press('9')
  await expect(phone).toHaveValue('98965 43210')
  expect(await caret()).toBe(3)
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Backspace')
  await expect(phone).toHaveValue('98964 3210')
  expect(await caret()).toBe(4)

  await enter((await borrower()).phone, '/active-loans/payments')
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  const amount = page.getByRole('dialog', { name: 'Part payment' }).getByRole('textbox')
  await amount.fill('123456')
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Backspace')
  await expect(amount).toHaveValue('12,456')
  await page.keyboard.press('9')
  await expect(amount).toHaveValue('1,29,456')
})

test('a tap beside a dialog does not throw away what was typed; ✕ closes it', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  const dialog = page.getByRole('dialog', { name: 'Part payment' })
  await dialog.getByLabel('Amount').fill('23456')
  await page.mouse.click(5, 5)
  await expect(dialog.getByRole('button', { name: 'Continue with ₹23,456' })).toBeVisible()
  await page.mouse.click(5, 400)
  await expect(dialog.getByLabel('Amount')).toHaveValue('23,456')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()
})
