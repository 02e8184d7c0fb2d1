import { startPayment } from './people.ts'
import { codeFor, expect, refused, test, until } from './portal.ts'
import {
  completed,
  countdown,
  goToHostedPage,
  goToPayments,
  hostedPay,
  messages,
  paiseIn,
  payButton,
  payOnHostedPage,
  pending,
  waitingPath,
} from './payments-tab.ts'

const stillWaiting = 'We are waiting for your bank to confirm the payment.'
const mayHaveLeft = 'If money has already left your account, do not pay again.'

test('without its parameter the waiting page is the payments tab', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/payments/waiting-for-payment')
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
  await page.goto('/payments/waiting-for-payment?razorpay_payment_link_id=')
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
})

test('it waits for the payment, shows its reference, and then the outcome', async ({ page, context, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByRole('heading', { name: 'Confirming your payment' })).toBeFocused()
  await expect(page.getByText(stillWaiting)).toBeVisible()
  await expect(page.getByText('You may close this page. If money has already left your account, do not pay again.')).toBeVisible()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(linkId)

  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await expect(page.getByRole('status').filter({ hasText: messages.success })).toBeVisible()
  await expect(page.getByText(linkId)).toBeVisible()
})

test('an expired link is reported, and a new payment can be made', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByText(stillWaiting)).toBeVisible()
  await portal.sandbox(`/links/${linkId}/expire`, {})
  await expect(page.getByText(messages.expired)).toBeVisible()
  await expect(page.getByText(mayHaveLeft)).toBeVisible()
  await goToPayments(page)
  await expect(pending(page)).toBeHidden()
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await expect(completed(page)).toHaveCount(3)
})

test('a cancelled link is reported', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByText(stillWaiting)).toBeVisible()
  const cancelled = await portal.patch(`/payments/payment-link/cancel?payment_link_id=${linkId}`, {}, await portal.signIn(own.phone))
  expect(cancelled.status).toBe(200)
  await expect(page.getByText(messages.cancelled)).toBeVisible()
  await expect(page.getByText(mayHaveLeft)).toBeVisible()
  await goToPayments(page)
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
})

test('money that is reported late is synced, and then applied', async ({ page, portal, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await payOnHostedPage(page, 'slow@razorpay')
  await expect(page.getByText(messages.syncing)).toBeVisible()
  await portal.clock.advance(4 * 60_000)
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
  await expect(completed(page)).toHaveCount(4)
})

test('the outcome comes by asking when every event is lost, with its stamp and what is left', async ({ page, portal, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await portal.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 4 })
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
  await expect(page.getByRole('img', { name: /^PAID, \d\d / })).toBeVisible()
  await expect(page.getByText('Outstanding now')).toBeVisible()
  await expect(page.getByText(/^Instalments left/).locator('xpath=..')).toHaveText(/21.*20$/)
  await portal.sandbox('/faults', { clear: true })
})

test('a result has its receipt in one press, and tries again when that fails', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/portal/generate-document'))
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await page.route('**/portal/generate-document*', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
  await enter(own.phone, waitingPath(linkId))
  await page.getByRole('button', { name: /^Download receipt/ }).click()
  await expect(page.getByRole('alert')).toHaveText('Failed to generate document, please retry')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Try Again/ }).click()
  expect((await saved).suggestedFilename()).toBe(`Receipt_${own.lan}-R4.pdf`)
})

test('what a payment changed is right when other money came before and after it', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const token = await portal.signIn(own.phone)
  const outstanding = async () => {
    const { body } = await portal.get('/portal/loans-summary', token)
    return (body['loans'] as { principal_outstanding: number }[])[0]?.principal_outstanding ?? 0
  }
  const first = await startPayment(portal, own)
  const before = await outstanding()
  await portal.sandbox(`/links/${first}/pay`, { method: 'upi', outcome: 'success' })
  await until(async () => (await outstanding()) < before)
  const after = await outstanding()
  const second = await startPayment(portal, own)
  await portal.sandbox(`/links/${second}/pay`, { method: 'upi', outcome: 'success' })
  await until(async () => (await outstanding()) < after)
  await enter(own.phone, waitingPath(first))
  const figure = (label: string) => page.getByText(label, { exact: true }).locator('xpath=following-sibling::dd')
  await expect(figure('Outstanding now')).toBeVisible()
  expect(paiseIn(await figure('Outstanding before').textContent())).toBe(BigInt(Math.round(before * 100)))
  expect(paiseIn(await figure('Outstanding now').textContent())).toBe(BigInt(Math.round(after * 100)))
})

test('a link that is paid in part says so', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  // Kist’s own links take no part payments; those of another system may.
  await page.route('**/portal/payment-link/status*', (route) => route.fulfill({ json: { status: 'partially_paid', rps_updated: true } }))
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByRole('heading', { name: 'Part of the payment received' })).toBeFocused()
  await expect(page.getByText(messages.success)).toBeVisible()
  await expect(page.getByRole('img', { name: /^PART PAID, \d\d / })).toBeVisible()
})

test('money that came after the link had ended is said to be refunded', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await page.route('**/portal/payment-link/status*', (route) => route.fulfill({ json: { status: 'cancelled', rps_updated: true } }))
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByText(messages.cancelled)).toBeVisible()
  await expect(page.getByText(mayHaveLeft)).toBeHidden()
  await expect(page.getByText('Your money came after this link had ended. It is refunded to you.')).toBeVisible()
})

test('stopping is asked first; waiting on keeps watching', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, waitingPath(linkId))
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  const question = page.getByRole('dialog', { name: 'Stop waiting?' })
  await expect(
    question.getByText('Are you sure you want to cancel payment confirmation? Your payment status may not be updated immediately.'),
  ).toBeVisible()
  await expect(question.getByRole('button', { name: 'Keep waiting' })).toBeFocused()
  await question.getByRole('button', { name: 'Keep waiting' }).click()
  await expect(question).toBeHidden()
  await expect(page.getByText(stillWaiting)).toBeVisible()

  await page.getByRole('button', { name: 'Stop waiting' }).click()
  await question.getByRole('button', { name: 'Stop waiting' }).click()
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
  await expect(pending(page)).toBeVisible()
})

test('polls that fail are silent', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(/net::ERR_FAILED/)
  browserErrors.expectConsole(refused(500, '/portal/payment-link/status'))
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  let asked = 0
  await page.route('**/portal/payment-link/status*', (route) => {
    asked += 1
    if (asked <= 2) return route.abort()
    return asked <= 4 ? route.fulfill({ status: 500, body: '' }) : route.continue()
  })
  await enter(own.phone, waitingPath(linkId))
  await expect.poll(() => asked).toBeGreaterThan(4)
  await expect(page.getByText(stillWaiting)).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await expect(page.getByText(messages.success)).toBeVisible()
})

test('a session that ends while waiting is reported, and signing in leads back to the outcome', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(401, '/portal/'))
  const own = await borrower()
  const linkId = await startPayment(portal, own)
  await enter(own.phone, waitingPath(linkId))
  await expect(page.getByText(stillWaiting)).toBeVisible()
  await portal.post('/auth/logout', {}, (await page.evaluate(() => localStorage.getItem('token'))) ?? '')
  const modal = page.getByRole('alertdialog', { name: 'Please sign in again' })
  await expect(modal).toContainText('Your session has expired. Please sign in again.')
  await modal.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)

  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  const before = portal.outbox().length
  await page.getByLabel('Mobile number').fill(own.phone.slice(3))
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(page.getByRole('textbox', { name: '6-digit OTP' })).toBeFocused()
  await page.keyboard.type(await codeFor(portal, own.phone, before))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(linkId))
  await expect(page.getByText(messages.success)).toBeVisible()
})

test('a lost return from the hosted page leaves the payment to be found on the payments tab', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await page.getByText('More test outcomes').click()
  await page.getByRole('button', { name: 'Simulate a lost return' }).click()
  await expect(page.getByText('The return was lost on purpose. You can close this page.')).toBeVisible()
  await page.goto('/active-loans/payments')
  await expect(completed(page)).toHaveCount(4)
  await expect(countdown(page)).toBeHidden()
  await expect(hostedPay(page)).toHaveCount(0)
})
