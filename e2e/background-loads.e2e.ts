import type { Page } from '@playwright/test'
import { countdown, payButton, pending } from './payments-tab.ts'
import { expect, openLogin, pauseClock, requestCode, test, typeCode, watchOpenRequests } from './portal.ts'
import { addOwnLoan, newBorrower } from './people.ts'

/** Code that is loaded while the page is idle: what happens if it does not come. */

const tab = '/active-loans/payments'
/** The page is idle when the test says so. */
const holdIdle = (page: Page) =>
  page.addInitScript("window.requestIdleCallback = (work) => (addEventListener('idle', () => work(), { once: true }), 0)")
const becomeIdle = (page: Page) => page.evaluate("dispatchEvent(new Event('idle'))")
const countdownCode = '**/assets/countdown-dialog-*.js'
const partPaymentCode = '**/assets/part-payment-dialog-*.js'

test('without a connection nothing is loaded ahead; with it, all is', async ({ page, context, enter, borrower }) => {
  await holdIdle(page)
  const answered = watchOpenRequests(page)
  // The card of autopay asks for it when its code has come: that can be after the payment button.
  const lastRead = page.waitForResponse('**/portal/autopay/collections?*')
  await enter((await borrower()).phone, tab)
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await lastRead
  await answered()
  // A request would fail, and the error in the console would fail this test.
  await context.setOffline(true)
  await becomeIdle(page)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('You are offline.')).toBeHidden()
  const loaded = page.waitForResponse(countdownCode)
  await becomeIdle(page)
  await (await loaded).finished()
  await payButton(page).click()
  await expect(countdown(page)).toBeVisible()
})

test('code that fails ahead reloads the page only when it is needed, and the payment can be resumed', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(/ERR_FAILED/)
  browserErrors.tolerateConsole(/Failed to fetch dynamically imported module/)
  await holdIdle(page)
  await page.route(countdownCode, (route) => route.abort())
  // Other code loaded ahead is still on its way when the payment needs the countdown.
  const loadsLong = page.waitForRequest(partPaymentCode)
  await page.route(partPaymentCode, () => {})
  await enter((await borrower()).phone, tab)
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('countdown-dialog'))
  await page.evaluate(() => Reflect.set(window, 'isFirstDocument', true))
  await becomeIdle(page)
  await Promise.all([failed, loadsLong])
  await page.unroute(countdownCode)
  const isFirstDocument = () => page.evaluate(() => Reflect.get(window, 'isFirstDocument') === true)
  expect(await isFirstDocument()).toBe(true)

  await payButton(page).click()
  await expect(pending(page)).toBeVisible()
  await expect.poll(isFirstDocument).toBe(false)
  await pending(page).getByRole('button', { name: 'Resume payment' }).click()
  await expect(countdown(page)).toBeVisible()
})

test('code that fails while the OTP is typed does not reload the sign-in, and what was typed stays', async ({
  page,
  portal,
  browserErrors,
}) => {
  browserErrors.expectConsole(/ERR_FAILED/)
  await page.route('**/assets/portal-*.js', (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/portal-'))
  const { phone } = await newBorrower(portal)
  await openLogin(page)
  await page.evaluate(() => Reflect.set(window, 'isFirstDocument', true))
  const code = await requestCode(page, portal, phone)
  await failed
  await typeCode(page, code.slice(0, 5))
  await page.unroute('**/assets/portal-*.js')
  await page.keyboard.type(code.slice(5))
  expect(await page.evaluate(() => Reflect.get(window, 'isFirstDocument') === true)).toBe(true)
  // The portal is needed now: its code is loaded by a new page.
  await page.getByRole('button', { name: 'Verify and sign in' }).click()
  await expect(page).toHaveURL(/\/active-loans/)
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
})

test('the countdown begins only when it can be seen', async ({ page, enter, borrower }) => {
  await holdIdle(page)
  await page.clock.install()
  const released = Promise.withResolvers<void>()
  await page.route(countdownCode, async (route) => {
    await released.promise
    await route.continue()
  })
  await enter((await borrower()).phone, tab)
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  const created = page.waitForResponse((response) => response.url().includes('/portal/payment-link?'))
  await payButton(page).click()
  await (await created).finished()
  // In steps shorter than the limit of a call: the page reads the answer between them.
  for (let step = 0; step < 3; step += 1) await page.clock.fastForward(20_500)
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
  await pauseClock(page)
  released.resolve()
  await expect(countdown(page)).toContainText('opens in 60 seconds')
})

test('a button whose popup comes later loses no press, and keeps the focus', async ({ page, portal, enter }) => {
  await holdIdle(page)
  const { borrowerId, phone } = await newBorrower(portal, { title: 'First loan' })
  await addOwnLoan(portal, borrowerId, { title: 'Second loan' })
  await enter(phone)
  const selector = page.getByRole('combobox', { name: /^Selected loan/ })
  // Its code is loaded by the focus; until then the arrow does nothing.
  await selector.focus()
  await expect(async () => {
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('option', { name: /Second loan/ })).toBeVisible({ timeout: 500 })
  }).toPass()
  await page.keyboard.press('Escape')
  await expect(selector).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: /Second loan/ }).click()
  await expect(selector).toContainText('Second loan')
})

test('a slow tap, and the focus and click of a screen reader, open a popup at the first try', async ({ page, portal, enter }) => {
  const { borrowerId, phone } = await newBorrower(portal, { title: 'First loan' })
  await addOwnLoan(portal, borrowerId, { title: 'Second loan' })
  await enter(phone)
  const bell = page.getByRole('button', { name: /^Notices/ })
  const selector = page.getByRole('combobox', { name: /^Selected loan/ })
  await page.waitForLoadState('networkidle')
  const browser = await page.context().newCDPSession(page)
  await browser.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  const { x, y, width, height } = (await selector.boundingBox())!
  const touchPoints = [{ x: x + width / 2, y: y + height / 2 }]
  await browser.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  // Longer than Chromium shows a tap as a press, and shorter than a long press.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 350)))
  await browser.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await page.getByRole('option', { name: /Second loan/ }).click()
  await expect(selector).toContainText('Second loan')
  // As Chromium does it for assistive technology: the focus with its microtasks, and then the click
  // in the same task.
  await bell.evaluate(async (button: HTMLButtonElement) => {
    button.focus()
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    button.click()
  })
  await expect(page.getByRole('heading', { name: 'Notices' })).toBeVisible()
})
