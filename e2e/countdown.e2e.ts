import { startPayment, waitForApplied } from './people.ts'
import { expect, pauseClock, refused, showAsChecked, test, watchOpenRequests } from './portal.ts'
import {
  completed,
  countdown,
  goToHostedPage,
  goToPayments,
  hostedPay,
  messages,
  optionCard,
  payButton,
  payOnHostedPage,
  pending,
} from './payments-tab.ts'

for (const way of ['Cancel', 'Close', 'Escape', 'a reload'] as const)
  test(`leaving the countdown by ${way} leaves a payment pending, which blocks new ones`, async ({ page, enter, borrower }) => {
    await enter((await borrower()).phone, '/active-loans/payments')
    await payButton(page).click()
    await expect(countdown(page)).toBeVisible()
    if (way === 'Escape') await page.keyboard.press('Escape')
    else if (way === 'a reload') await page.reload()
    else await countdown(page).getByRole('button', { name: way, exact: true }).click()
    await expect(countdown(page)).toBeHidden()
    await expect(pending(page)).toContainText('Waiting for payment')
    await expect(pending(page)).toContainText('₹5,649')
    await expect(page.getByText('New payments are blocked until the pending one is finished or cancelled.')).toBeVisible()
    await expect(payButton(page)).toBeDisabled()
    await expect(page.getByRole('radio')).toHaveCount(4)
    for (const radio of await page.getByRole('radio').all()) await expect(radio).toBeDisabled()
  })

test('the countdown starts at the button that skips it, and redirects for half a second at zero', async ({ page, enter, borrower }) => {
  await page.clock.install()
  const loaded = page.waitForResponse('**/assets/countdown-dialog-*.js')
  await enter((await borrower()).phone, '/active-loans/payments')
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await (await loaded).finished()
  await pauseClock(page)
  const answered = watchOpenRequests(page)
  await payButton(page).click()
  const timer = countdown(page).getByRole('timer')
  await expect(timer).toHaveAccessibleName('Seconds left: 60')
  // A screen reader reads it on opening; the status, which it reads by itself, is empty until then.
  await expect(countdown(page)).toHaveAccessibleDescription(/^Next EMI: ₹[\d,.]+ The payment page opens in 60 seconds\.$/)
  const status = countdown(page).getByRole('status')
  await expect(status).toBeEmpty()
  await page.clock.runFor(1_000)
  await expect(timer).toHaveAccessibleName('Seconds left: 59')
  await expect(countdown(page).getByRole('button', { name: 'Redirect now' })).toBeFocused()
  await page.clock.runFor(54_000)
  await expect(status).toHaveText('The payment page opens in 5 seconds.')
  await page.clock.runFor(5_000)
  await expect(countdown(page)).toContainText('Redirecting to the payment page...')
  await expect(timer).toHaveAccessibleName('Seconds left: 0')
  await expect(countdown(page).getByRole('button', { name: 'Redirecting' })).toHaveAttribute('aria-busy', 'true')
  await page.clock.runFor(400)
  await expect(countdown(page)).toBeVisible()
  // The open link is polled; leaving the page would cut a poll off.
  await answered()
  await page.clock.runFor(200)
  await expect(hostedPay(page)).toBeVisible()
})

test('cancelled while the payment page is loading, the browser stays here with the payment pending', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  // The provider does not answer.
  await page.route('**/*', (route) => (route.request().isNavigationRequest() ? undefined : route.fallback()))
  const loading = page.waitForRequest((request) => request.isNavigationRequest())
  await payButton(page).click()
  await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
  await loading
  const stopped = page.waitForEvent('requestfailed', (request) => request.isNavigationRequest())
  // Playwright would wait for the page before it presses a button.
  await page.keyboard.press('Escape')
  await stopped
  await expect(pending(page)).toContainText('Waiting for payment')
})

test('a pending payment is resumed on the same link and can be paid', async ({ page, portal, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  const address = page.url()
  await page.goto('/active-loans/payments')
  await expect(pending(page)).toBeVisible()
  const { links } = (await portal.sandbox('/state')) as { links: unknown[] }

  await pending(page).getByRole('button', { name: 'Resume payment' }).click()
  await expect(countdown(page)).toContainText('Next EMI')
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(pending(page)).toBeVisible()
  await pending(page).getByRole('button', { name: 'Resume payment' }).click()
  await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
  await expect(page).toHaveURL(address)
  expect(((await portal.sandbox('/state')) as { links: unknown[] }).links).toHaveLength(links.length)
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
})

test('the Back button from the hosted page shows what is pending', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await page.goBack()
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
  await expect(countdown(page)).toBeHidden()
  await expect(pending(page)).toBeVisible()
})

test('a pending payment is cancelled only after a question', async ({ page, portal, enter, borrower }) => {
  const { phone } = await borrower()
  await enter(phone, '/active-loans/payments')
  await goToHostedPage(page)
  const hosted = page.url()
  await page.goBack()
  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  const question = page.getByRole('dialog', { name: 'Cancel this payment?' })
  await expect(question.getByRole('button', { name: 'Keep payment' })).toBeFocused()
  await question.getByRole('button', { name: 'Keep payment' }).click()
  await expect(question).toBeHidden()
  await expect(pending(page)).toBeVisible()

  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  await question.getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(pending(page)).toBeHidden()
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await expect(completed(page)).toHaveCount(3)
  expect((await portal.sandbox('/state'))['links']).toContainEqual(expect.objectContaining({ short_url: hosted, status: 'cancelled' }))
  await page.goto(hosted)
  await expect(page.getByRole('heading', { name: 'This payment link was cancelled' })).toBeVisible()
})

test('of a loan that is checked, the schedule has the focus after the pending payment is cancelled', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const own = await borrower()
  await startPayment(portal, own)
  await showAsChecked(page)
  await enter(own.phone, '/active-loans/payments')
  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(pending(page)).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Repayment schedule', exact: true })).toBeFocused()
  await expect(payButton(page)).toHaveCount(0)
})

test('a failed cancellation is reported and can be tried again', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/payments/payment-link/cancel'))
  await enter((await borrower()).phone, '/active-loans/payments')
  await payButton(page).click()
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()
  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  await portal.sandbox('/faults', { call: 'cancel', kind: 'status', status: 503, times: 1 })
  const question = page.getByRole('dialog', { name: 'Cancel this payment?' })
  await question.getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(question.getByText('Failed to cancel payment. Please try again.')).toBeVisible()
  await portal.sandbox('/faults', { clear: true })
  await question.getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(pending(page)).toBeHidden()
})

test('a payment started in one tab is seen in the other, and blocks it there', async ({ page, context, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await payButton(page).click()
  await expect(countdown(page)).toBeVisible()
  const other = await context.newPage()
  await other.goto('/active-loans/payments')
  await expect(pending(other)).toBeVisible()
  await expect(payButton(other)).toBeDisabled()
})

test('a press that another tab has forestalled is no failure, and says nothing more when that payment is over', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(409, '/portal/payment-link'))
  const own = await borrower()
  await enter(own.phone, '/active-loans/payments')
  await optionCard(page, 'Foreclosure').click()
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await startPayment(portal, own)
  await payButton(page).click()
  const told = page.getByText('Another payment of this loan is pending. Finish or cancel it first.')
  await expect(pending(page)).toBeVisible()
  await expect(told).toBeVisible()
  await expect(page.getByText('Failed to create payment. Please try again.')).toBeHidden()

  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(pending(page)).toBeHidden()
  await expect(told).toBeHidden()
})

test('a cancelled payment is gone at once, also while the page cannot be read again', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  await startPayment(portal, own)
  await page.clock.install()
  await enter(own.phone, '/active-loans/payments')
  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  const question = page.getByRole('dialog', { name: 'Cancel this payment?' })
  const confirm = question.getByRole('button', { name: 'Yes, cancel payment' })
  await expect(confirm).toBeVisible()
  await pauseClock(page)
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/portal/ongoing-payment?*', async (route) => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  const cancelled = page.waitForResponse('**/payments/payment-link/cancel?*')
  await confirm.click()
  await cancelled
  await asked.promise
  // It fades out by the clock.
  await page.clock.resume()
  await expect(question).toBeHidden()
  await expect(pending(page)).toBeHidden()
  released.resolve()
})

test('a cancelled payment is not announced again once another one was paid elsewhere', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  await startPayment(portal, own)
  await page.clock.install()
  await enter(own.phone, '/active-loans/payments')
  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Yes, cancel payment' }).click()
  const announced = page.getByText('The payment of ₹5,649 is cancelled. Its link no longer works.')
  await expect(announced).toBeVisible()

  const linkId = await startPayment(portal, own)
  // When the data is no longer fresh.
  const returnToTab = async () => {
    await page.clock.fastForward(31_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  }
  await returnToTab()
  await expect(pending(page)).toBeVisible()
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  await waitForApplied(portal, own, linkId)
  await returnToTab()
  await expect(pending(page)).toBeHidden()
  await expect(completed(page)).toHaveCount(4)
  await expect(announced).toBeHidden()
})

test('two tabs that press at once make one open link', async ({ page, context, portal, enter, borrower, browserErrors }) => {
  // The slower tab may be refused, or get the link of the faster one.
  browserErrors.tolerateConsole(refused(409, '/portal/payment-link'))
  const own = await borrower()
  await enter(own.phone, '/active-loans/payments')
  const other = await context.newPage()
  await other.goto('/active-loans/payments')
  for (const tab of [page, other]) await expect(payButton(tab)).not.toHaveAttribute('aria-disabled')
  const before = ((await portal.sandbox('/state')) as { links: unknown[] }).links.length
  await Promise.all([payButton(page).click(), payButton(other).click()])
  for (const tab of [page, other]) await expect(countdown(tab).or(pending(tab)).first()).toBeVisible()
  const { body } = await portal.get(`/portal/ongoing-payment?application_id=${own.lan}`, await portal.signIn(own.phone))
  expect(body['payment_link']).toMatchObject({ status: 'created' })
  expect(((await portal.sandbox('/state')) as { links: unknown[] }).links).toHaveLength(before + 1)
})

test('a double click makes one link', async ({ page, portal, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  const before = ((await portal.sandbox('/state')) as { links: unknown[] }).links.length
  let created = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/portal/payment-link')) created += 1
  })
  await payButton(page).dblclick()
  await expect(countdown(page)).toBeVisible()
  await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
  await expect(hostedPay(page)).toBeVisible()
  expect(created).toBe(1)
  expect(((await portal.sandbox('/state')) as { links: unknown[] }).links).toHaveLength(before + 1)
})

test('a payment made on another device shows by itself', async ({ page, portal, enter, borrower }) => {
  await page.clock.install()
  const own = await borrower()
  await enter(own.phone, '/active-loans/payments')
  await payButton(page).click()
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(pending(page)).toBeVisible()
  const { body } = await portal.get(`/portal/ongoing-payment?application_id=${own.lan}`, await portal.signIn(own.phone))
  const { payment_link_id: linkId } = body['payment_link'] as { payment_link_id: string }
  await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
  // A page that nobody has used for five minutes by its clock asks no more.
  await waitForApplied(portal, own, linkId)
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(11_000)
        return pending(page).count()
      },
      { intervals: [3_000] },
    )
    .toBe(0)
  await expect(completed(page)).toHaveCount(4)
})

test('a fulfilled payment cannot be paid a second time by its hosted page', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  const hosted = page.url()
  await payOnHostedPage(page)
  await expect(page.getByText(messages.success)).toBeVisible()
  await goToPayments(page)
  await page.goto(hosted)
  await expect(page.getByRole('heading', { name: 'This payment link is already paid' })).toBeVisible()
  await expect(hostedPay(page)).toHaveCount(0)
})
