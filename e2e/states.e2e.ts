import type { Page } from '@playwright/test'
import { addMonths, dayInIndia, daysBetween } from '#domain/calendar.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { completed, filter, optionCard, payButton, pending } from './payments-tab.ts'
import { startPayment } from './people.ts'
import { expect, refused, test } from './portal.ts'
import { newStaff } from './staff.ts'

/** States and rules that are easily missed (docs/screens.md). */

/** Holds the responses of a call until they are released, each as a failure. */
async function holdFailing(page: Page, path: string, status: number): Promise<() => void> {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(path, async (route) => {
    await held
    await route.fulfill({ status, body: '' })
  })
  return release
}

test('a pending payment that cannot be asked for replaces the schedule area, completed payments stay, and a retry shows that it is one', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(500, '/portal/ongoing-payment'))
  await page.route('**/portal/ongoing-payment*', (route) => route.fulfill({ status: 500, body: '' }))
  await enter((await borrower()).phone, '/active-loans/payments')
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load pending payments' })
  await expect(panel).toContainText('Backend is temporarily down. Please try again.')
  await expect(page.getByRole('region', { name: 'Repayment schedule', exact: true })).toBeHidden()
  await expect(payButton(page)).toBeHidden()
  await expect(completed(page)).toHaveCount(3)

  // The panel stays while the request is repeated.
  await page.unroute('**/portal/ongoing-payment*')
  const release = await holdFailing(page, '**/portal/ongoing-payment*', 500)
  const retry = panel.getByRole('button', { name: 'Try again' })
  await retry.click()
  await expect(retry).toHaveAttribute('aria-busy', 'true')
  await expect(retry).toHaveAttribute('aria-disabled', 'true')
  release()
  await expect(retry).not.toHaveAttribute('aria-busy')
  await page.unroute('**/portal/ongoing-payment*')
  await retry.click()
  await expect(filter(page, 'Total')).toBeVisible()
  await expect(completed(page)).toHaveCount(3)
  // The pressed button is gone: reading goes on at what came instead of it.
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeFocused()
})

test('figures that could not be loaded again are kept under a line that says so, until a retry succeeds', async ({
  page,
  context,
  enter,
  borrower,
  browserErrors,
}) => {
  await enter((await borrower()).phone)
  const figures = page.getByRole('heading', { name: 'Principal outstanding' })
  await expect(figures).toBeVisible()
  const line = page.getByRole('alert').filter({ hasText: 'These figures could not be updated.' })
  await expect(line).toBeHidden()
  // Figures of a minute ago are loaded again when the connection returns.
  await page.evaluate(() => {
    const now = Date.now.bind(Date)
    Date.now = () => now() + 60_000
  })
  browserErrors.tolerateConsole(/status of 500|net::ERR_INTERNET_DISCONNECTED/)
  const release = await holdFailing(page, '**/portal/loans-summary', 500)
  await context.setOffline(true)
  await expect(page.getByText('You are offline.', { exact: false }).first()).toBeVisible()
  await context.setOffline(false)
  release()
  await expect(line).toBeVisible()
  await expect(figures).toBeVisible()
  await page.unroute('**/portal/loans-summary')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(line).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeFocused()
})

for (const { what, fail, title, text, retry } of [
  {
    what: 'no connection',
    fail: (page: Page) => page.route('**/portal/loans-summary', (route) => route.abort('internetdisconnected')),
    title: 'Failed to load loans',
    text: 'Network error occurred. Please check your connection and try again.',
    retry: true,
  },
  {
    what: 'an answer that does not come in time',
    fail: async (page: Page) => {
      // The app's own timeout is 30 s; no response ever comes.
      await page.addInitScript(() => {
        const timeout = AbortSignal.timeout.bind(AbortSignal)
        AbortSignal.timeout = (ms) => timeout(ms === 30_000 ? 50 : ms)
      })
      await page.route('**/portal/loans-summary', () => {})
    },
    title: 'Failed to load loans',
    text: 'Request timed out. Please try again.',
    retry: true,
  },
  {
    what: 'too many requests at once',
    fail: (page: Page) => page.route('**/portal/loans-summary', (route) => route.fulfill({ status: 429, body: '' })),
    title: 'Failed to load loans',
    text: 'Too many requests at once. Please wait a moment and try again.',
    retry: true,
  },
])
  test(`${what} is shown in its own words, with a retry`, async ({ page, enter, borrower, browserErrors }) => {
    browserErrors.tolerateConsole(/net::ERR_INTERNET_DISCONNECTED|status of 429/)
    await fail(page)
    await enter((await borrower()).phone)
    const panel = page.getByRole('alert').filter({ hasText: title })
    await expect(panel).toContainText(text)
    await expect(panel.getByRole('button', { name: 'Try again' })).toHaveCount(retry ? 1 : 0)
  })

for (const width of [1280, 768])
  test(`tables scroll in the heights of the specification, ${width} px wide`, async ({ page, portal, enter, borrower }) => {
    await page.setViewportSize({ width, height: 1024 })
    await enter((await borrower()).phone)
    const height = (name: string) =>
      page.getByRole('region', { name, exact: true }).evaluate((region) => getComputedStyle(region).maxHeight)
    expect(await height('Disbursals of this loan')).toBe('288px')
    await page.getByRole('link', { name: 'Payments', exact: true }).click()
    await expect(filter(page, 'Total')).toBeVisible()
    expect(await height('Schedule table')).toBe('400px')
    await expect(completed(page)).toHaveCount(3)
    expect(await height('List of completed payments')).toBe('400px')
    await enter(await newStaff(portal), '/users')
    await expect(page.getByRole('row').nth(1)).toBeVisible()
    expect(await height('Borrowers')).toBe('500px')
  })

test('the picker takes more than may be uploaded', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/documents')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('dialog').locator('input[type=file]').first()).toHaveAttribute(
    'accept',
    '.pdf,.bmp,.gif,.jpeg,.jpg,.png,.tiff,.webp',
  )
})

test('a failure is shown in the server’s own sentence where it gives one, and in Hindi in ours', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(503, '/portal/loans-summary'))
  await page.route('**/portal/loans-summary', (route) =>
    route.fulfill({ status: 503, json: { message: 'We update our books until 6 am. Please come back then.' } }),
  )
  await enter((await borrower()).phone)
  const panel = page.getByRole('alert')
  await expect(panel).toContainText('Failed to load loans')
  await expect(panel).toContainText('We update our books until 6 am. Please come back then.')
  await expect(panel).not.toContainText('Backend is temporarily down')
  // The server writes English.
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(panel).toContainText('सर्वर अभी उपलब्ध नहीं है।')
  await expect(panel).not.toContainText('We update our books')
})

test('a failure with a code of ours is shown in the words of the specification', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/portal/loans-summary'))
  await page.route('**/portal/loans-summary', (route) =>
    route.fulfill({
      status: 503,
      json: { type: 'about:blank', title: 'Overloaded', status: 503, detail: 'Too many requests.', code: 'Overloaded', request_id: 'x' },
    }),
  )
  await enter((await borrower()).phone)
  await expect(page.getByRole('alert')).toContainText('Backend is temporarily down. Please try again.')
})

test('a failure with a code that the portal does not know is shown in the server’s own sentence, in a panel and in a card', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  for (const path of ['/portal/loans-summary', '/auth/users/all']) browserErrors.expectConsole(refused(409, path))
  const detail = 'Our books are closed for the night. Please come back at 6 am.'
  const json = { type: '/problems/SomethingNew', title: 'Something new', status: 409, detail, code: 'SomethingNew', request_id: 'x' }
  await page.route('**/portal/loans-summary', (route) => route.fulfill({ status: 409, json }))
  await page.route('**/auth/users/all*', (route) => route.fulfill({ status: 409, json }))
  await enter((await borrower()).phone)
  await expect(page.getByRole('alert')).toContainText(detail)
  await enter(await newStaff(portal), '/users')
  const note = page.getByRole('alert').filter({ hasText: 'Failed to load borrowers' })
  await expect(note).toContainText(detail)
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(page.getByRole('alert')).not.toContainText(detail)
})

test('a list that is refused to staff has one heading of the first level', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(403, '/auth/users/all'))
  await page.route('**/auth/users/all*', (route) => route.fulfill({ status: 403, body: '' }))
  await enter(await newStaff(portal), '/users')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Access denied')
})

test('staff who are logged in are taken from their login to the list; an expired token is not', async ({ page, portal, enter }) => {
  await enter(await newStaff(portal), '/admin/login')
  await expect(page).toHaveURL(/\/users$/)
  await page.evaluate(() => localStorage.setItem('tokenReceivedAt', String(Date.now() - 9 * 3_600_000)))
  await page.goto('/admin/login')
  await expect(page.getByRole('heading', { name: 'Staff sign-in' })).toBeVisible()
  await expect(page).toHaveURL(/\/admin\/login$/)
})

const emiOf = (page: Page) => page.getByRole('term').filter({ hasText: /^EMI/ }).locator('xpath=following-sibling::dd')

test('the EMI of a loan due at month ends is due on the last day of each month, also from one short month to another', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const today = dayInIndia(portal.clock.now())
  // The last instalment is a year after the next one.
  const own = await borrower({ dueInDays: daysBetween(today, addMonths(today, 0, 31)), dueDay: 31, paid: 3, instalments: 16 })
  await enter(own.phone)
  await expect(emiOf(page)).toContainText('on the last day of each month')
})

test('the EMI that a part payment changes is shown with the day it holds from', async ({ page, portal, enter, borrower }) => {
  const own = await borrower({ dueInDays: 12 })
  await enter(own.phone)
  const emi = emiOf(page)
  await expect(emi).toContainText(/on the \d+\w\w of each month/)
  const token = await portal.signIn(own.phone)
  const order = {
    amount: 40_000,
    purpose: 'PART_PAYMENT__REDUCE_EMI',
    lead_id: own.lan,
    application_id: own.lan,
    callback_url: `${portal.url}/payments/waiting-for-payment`,
  }
  const { body } = await portal.post('/portal/payment-link?use_razorpay=true', order, token)
  await portal.sandbox(`/links/${String(body['payment_link_id'])}/pay`, { method: 'upi', outcome: 'success' })
  const loanNow = async () => {
    const { body: summary } = await portal.get('/portal/loans-summary', token)
    return (summary['loans'] as { emi_amount: number; next_emi: { amount: number; from: string } | null }[])[0]
  }
  await expect.poll(async () => (await loanNow())?.next_emi ?? null).not.toBeNull()
  const loan = await loanNow()
  expect(loan?.next_emi?.amount).toBeLessThan(loan?.emi_amount ?? 0)
  await page.reload()
  await expect(emi).toContainText(`₹${loan?.next_emi?.amount.toLocaleString('en-IN')} from `)
})

test('a part payment draws both courses, with their figures in a table, and keeps them while nothing valid is typed', async ({
  page,
  enter,
  borrower,
}) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  const dialog = page.getByRole('dialog', { name: 'Part payment' })
  const curves = dialog.getByRole('img', { name: /^With a part payment of ₹[\d,]+ the loan ends in / })
  await expect(curves).toBeVisible()
  await expect(curves.locator('polyline')).toHaveCount(2)
  await dialog.getByLabel('Amount').fill('40000')
  await expect(dialog.getByText('For a part payment of ₹40,000')).toBeVisible()
  await dialog.getByText('Show as a table').click()
  const table = dialog.getByRole('table', { name: 'Your balance with and without it' })
  await expect(table.getByRole('columnheader')).toHaveText(['Date', 'With the part payment', 'Without it'])
  await expect(table.getByRole('row')).toHaveCount(23)
  await dialog.getByLabel('Amount').fill('1')
  await expect(dialog.getByText(/^Amount must be at least/)).toBeVisible()
  await expect(dialog.getByText('For a part payment of ₹40,000')).toBeVisible()
  await expect(dialog.getByText('Interest saved').first().locator('xpath=following-sibling::dd')).toContainText('₹')
  await dialog.getByRole('radio', { name: 'Reduce Tenor' }).check({ force: true })
  await dialog.getByLabel('Amount').fill('40000')
  await expect(table.getByRole('cell', { name: '–' }).first()).toBeVisible()
})

test('the pictures of a loan have their figures in a table behind them', async ({ page, enter }) => {
  await enter(demoPhone(1))
  const summary = page.getByRole('region', { name: 'Loan summary' })
  await expect(summary.getByRole('img', { name: /^20 of 84 instalments paid\. Principal paid ₹/ })).toBeVisible()
  await expect(summary.getByText(/^Paid so far: ₹[\d,.]+ of the principal \(\d+%\) and ₹[\d,.]+ of interest\.$/)).toBeVisible()
  await summary.getByText('Show as a table').click()
  await expect(summary.getByRole('table', { name: 'Balance after each instalment' }).getByRole('row')).toHaveCount(85)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  const chart = page.getByRole('region', { name: 'Balance over time' })
  await expect(chart.getByRole('img', { name: /^Outstanding ₹[\d,.]+ today, nothing in / })).toBeVisible()
  await chart.getByText('Show as a table').click()
  await expect(chart.getByRole('table').getByRole('row')).toHaveCount(85)
})

test('the schedule opens at the next instalment again when the screen becomes wide', async ({ page, enter }) => {
  await page.setViewportSize({ width: 600, height: 900 })
  await enter(demoPhone(1), '/active-loans/payments')
  await expect(page.getByRole('button', { name: /^Show all 84 rows/ })).toBeVisible()
  await page.setViewportSize({ width: 1280, height: 900 })
  const region = page.getByRole('region', { name: 'Schedule table' })
  await expect.poll(() => region.evaluate((one) => one.scrollTop)).toBeGreaterThan(500)
})

test('what was begun elsewhere is resumed only with the permission to', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  await startPayment(portal, own)
  await page.route('**/auth/permissions', (route) => route.fulfill({ json: { permissions: ['payment_link:create'] } }))
  await enter(own.phone, '/active-loans/payments')
  for (const name of ['Resume payment', 'Cancel payment']) {
    const button = pending(page).getByRole('button', { name })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toHaveAccessibleDescription('Action not allowed')
  }
})

test('a part payment is confirmed only with the permission to', async ({ page, enter, borrower }) => {
  await page.route('**/auth/permissions', (route) => route.fulfill({ json: { permissions: ['payment_link:create'] } }))
  await enter((await borrower()).phone)
  await page.getByRole('link', { name: 'What if I pay more?' }).click()
  const dialog = page.getByRole('dialog', { name: 'Part payment' })
  await dialog.getByRole('button', { name: '₹50,000', exact: true }).click()
  const confirm = dialog.getByRole('button', { name: 'Continue with ₹50,000' })
  await expect(confirm).toHaveAttribute('aria-disabled', 'true')
  await expect(confirm).toHaveAccessibleDescription('Action not allowed')
})

/** The page has reloaded itself a moment ago, as it does once when a file of it is missing. */
const afterReload = (page: Page) => page.addInitScript(() => sessionStorage.setItem('reloadedAt', String(Date.now())))

test('a portal whose files do not load says so in both languages, with a button to load it again', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.tolerateConsole(/Failed to fetch dynamically imported module|net::ERR_FAILED/)
  await page.route('**/assets/words-en-*.js', (route) => route.abort())
  await afterReload(page)
  await enter((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
  await expect(page.getByText('यह पेज लोड नहीं हो सका', { exact: false })).toBeVisible()
  await page.unroute('**/assets/words-en-*.js')
  await page.getByRole('button', { name: 'Load again / फिर से खोलें' }).click()
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
})

for (const file of ['login-', 'common-', 'words-en-'])
  test(`a login whose ${file}*.js does not load says so, instead of a form that does nothing`, async ({ page, browserErrors }) => {
    browserErrors.tolerateConsole(/Failed to fetch dynamically imported module|net::ERR_FAILED/)
    await page.route(`**/assets/${file}*.js`, (route) => route.abort())
    await afterReload(page)
    await page.goto('/login')
    await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
    await page.unroute(`**/assets/${file}*.js`)
    await page.getByRole('button', { name: 'Load again / फिर से खोलें' }).click()
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    await page.getByRole('button', { name: 'Send OTP' }).click()
    await expect(page.getByText('Enter a valid 10-digit mobile number')).toBeVisible()
  })

test('a page of the portal whose code does not load says so, instead of a skeleton that does nothing', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.tolerateConsole(/net::ERR_FAILED/)
  await enter((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
  await page.route('**/assets/portal-*.js', (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
})
