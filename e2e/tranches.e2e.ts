import type { Locator, Page } from '@playwright/test'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { approveTranche, releaseTranche } from '#server/tranches/decide-tranche.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import type { App } from '#testkit/start-app.ts'
import { cell, shown } from './days.ts'
import { scheduleRow } from './payments-tab.ts'
import type { Borrower } from './people.ts'
import { expect, refused, signInAfterSessionEnd, test } from './portal.ts'

const card = (page: Page) => page.getByRole('region', { name: 'Disbursals', exact: true })
const requestButton = (page: Page) => card(page).getByRole('button', { name: 'Request disbursal' })
const dialog = (page: Page) => page.getByRole('dialog', { name: /Request disbursal|Change the request/ })
const amountField = (page: Page) => dialog(page).getByLabel('Amount')
const dateField = (page: Page) => dialog(page).getByRole('button', { name: /^Date/ })
const calendar = (page: Page) => page.getByRole('dialog', { name: 'Date', exact: true })

async function pick(page: Page, day: Day): Promise<void> {
  await dateField(page).click()
  await expect(calendar(page).getByRole('table')).toBeVisible()
  const button = calendar(page).getByRole('button', { name: cell(day), exact: true })
  if (!(await button.isVisible())) await calendar(page).getByRole('button', { name: 'Next month' }).click()
  await button.click()
  await expect(calendar(page)).toBeHidden()
  await expect(dateField(page)).toContainText(shown(day))
}

/** Opens the dialog and enters ₹1,000 for a day. */
async function fillRequest(page: Page, day: Day): Promise<void> {
  await requestButton(page).click()
  await amountField(page).fill('1000')
  await pick(page, day)
}

/** The lender's part, done by the operator's tool. */
async function decide(portal: App, borrower: Borrower, what: 'approve' | 'release'): Promise<void> {
  const id = `${borrower.lan}-T2`
  await withLockedLoan(portal.database, borrower, portal.clock.now(), (loan) =>
    what === 'approve' ? approveTranche(loan, id) : releaseTranche(loan, id, dayInIndia(loan.now)),
  )
}

const loan = { rupees: 120_000, sanctionedRupees: 200_000 }

test('asks for a disbursal, changes it, and sees the lender release it into the schedule', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  const own = await borrower(loan)
  const day = addDays(dayInIndia(portal.clock.now()), 3)
  await enter(own.phone)
  const rows = card(page).getByRole('row')
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText('Disbursed')
  await expect(rows.nth(1)).toContainText('Released')

  await requestButton(page).click()
  await expect(amountField(page)).toBeFocused()
  await expect(dialog(page)).toContainText('Whole rupees, up to ₹80,000')
  await amountField(page).fill('50000')
  // The effect is shown before the request, and loaded again if that failed.
  const change = dialog(page).getByRole('region', { name: 'What this would change' })
  browserErrors.expectConsole(refused(500, '/portal/tranche-preview'))
  await page.route('**/portal/tranche-preview?*', (route) => route.fulfill({ status: 500, body: '' }))
  await pick(page, day)
  await expect(change.getByRole('alert')).toHaveText('The effect could not be loaded')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await change.getByRole('button', { name: 'Try again' }).click()
  await expect(change.getByRole('definition').nth(2)).toHaveText(/₹[\d,]+ → ₹[\d,]+/)
  await page.getByRole('button', { name: 'Send request' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page)).toContainText(`Your request for ₹50,000 on ${shown(day)} has been sent.`)
  await expect(rows.nth(2)).toContainText('Requested')
  await expect(rows.nth(2)).toContainText('Not released yet')
  // One at a time.
  await expect(requestButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(card(page)).toContainText('Your lender has not yet decided on your last request')

  // On a phone each has two lines.
  await page.setViewportSize({ width: 360, height: 740 })
  const items = card(page).getByRole('listitem')
  await expect(items.nth(1)).toContainText(/Tranche 2\s*₹50,000.*Requested.*Not released yet/)
  await expect(items.nth(1).getByRole('button', { name: 'Edit tranche 2' })).toBeVisible()
  for (const item of await items.all()) expect((await item.boundingBox())?.height).toBeLessThanOrEqual(64)
  await page.setViewportSize({ width: 1280, height: 800 })

  await rows.nth(2).getByRole('button', { name: 'Edit tranche 2' }).click()
  await expect(amountField(page)).toHaveValue('50,000')
  await amountField(page).fill('80001')
  await expect(dialog(page)).toContainText('Amount cannot exceed ₹80,000')
  await amountField(page).fill('60000')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(rows.nth(2)).toContainText('₹60,000')

  // The lender's part, and its effect on the schedule.
  await page.getByRole('link', { name: 'Payments' }).click()
  const before = await scheduleRow(page, 6).textContent()
  await page.getByRole('link', { name: 'Loan details' }).click()
  await decide(portal, own, 'approve')
  await page.reload()
  await expect(rows.nth(2)).toContainText('Approved')
  // Saved as it was, it stays approved, and nothing says otherwise.
  await rows.nth(2).getByRole('button', { name: 'Edit tranche 2' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page)).not.toContainText('Your lender will decide on it.')
  await expect(rows.nth(2)).toContainText('Approved')
  await decide(portal, own, 'release')
  await page.reload()
  await expect(rows.nth(2)).toContainText('Released')
  await expect(page.getByRole('region', { name: 'Loan summary' })).toContainText('₹1,80,000 disbursed')
  await page.getByRole('link', { name: 'Payments' }).click()
  await expect(scheduleRow(page, 6)).not.toHaveText(before ?? '')
  // The bell has both notices.
  await page.getByRole('button', { name: 'Notices, 2 unread' }).click()
  // Opening the list reads none; following one reads it; the button reads the others.
  await page.getByRole('link', { name: '₹60,000 has been paid out.' }).click()
  await expect(page).toHaveURL(/\/active-loans\?loan=/)
  await page.getByRole('button', { name: 'Notices, 1 unread' }).click()
  browserErrors.expectConsole(refused(503, '/portal/notices/read'))
  await page.route('**/portal/notices/read', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'The notices could not be marked as read.' })).toBeVisible()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Notices', exact: true })).toBeVisible()
})

test('takes whole rupees only: keys of decimals do nothing, pasted decimals fall away', async ({ page, enter, borrower }) => {
  await enter((await borrower(loan)).phone)
  await requestButton(page).click()
  await amountField(page).pressSequentially('1.2,5')
  await expect(amountField(page)).toHaveValue('125')
  await amountField(page).fill('1,75,000.50')
  await expect(amountField(page)).toHaveValue('1,75,000')
  await amountField(page).fill('0')
  await page.getByRole('button', { name: 'Send request' }).click()
  await expect(dialog(page)).toContainText('Please enter a valid amount')
  await expect(dialog(page).getByText(/^Choose a date from/)).toBeVisible()
  await expect(amountField(page)).toBeFocused()
  await expect(amountField(page)).toHaveAccessibleDescription('Whole rupees, up to ₹80,000 Please enter a valid amount')
  await amountField(page).fill('1000')
  await page.getByRole('button', { name: 'Send request' }).click()
  await expect(dateField(page)).toBeFocused()
})

test('a date that the server refuses is said at its field, until another one is chosen', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(400, '/portal/tranche'))
  const own = await borrower(loan)
  const tomorrow = addDays(dayInIndia(portal.clock.now()), 1)
  await page.route('**/api/v1/portal/tranche', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 400,
          json: { type: 'about:blank', title: '', status: 400, detail: '', code: 'InvalidRequest', field: 'date', request_id: 'x' },
        })
      : route.fallback(),
  )
  await enter(own.phone)
  await fillRequest(page, tomorrow)
  await page.getByRole('button', { name: 'Send request' }).click()
  await expect(dateField(page)).toBeFocused()
  await expect(dateField(page)).toHaveAccessibleDescription(/This date is no longer available\. Choose another one\.$/)
  await expect(amountField(page)).toHaveValue('1,000')
  await pick(page, addDays(tomorrow, 1))
  await expect(dialog(page)).not.toContainText('This date is no longer available')
})

test('keeps what was typed when the request is refused', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(409, '/portal/tranche'))
  const own = await borrower(loan)
  const day = addDays(dayInIndia(portal.clock.now()), 1)
  await enter(own.phone)
  await fillRequest(page, day)
  // Another tab was faster.
  const token = await portal.signIn(own.phone)
  await portal.post('/portal/tranche', { lead_id: own.lan, lan: own.lan, amount: 500, date: day }, token)
  await page.getByRole('button', { name: 'Send request' }).click()
  await expect(dialog(page).getByRole('alert').last()).toContainText('Your lender has not yet decided on your last request.')
  await expect(amountField(page)).toHaveValue('1,000')
  await expect(dateField(page)).toContainText(shown(day))
})

test('keeps what was typed when the session ends, for its person alone', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.tolerateConsole(refused(401, '/'))
  const own = await borrower(loan)
  const day = addDays(dayInIndia(portal.clock.now()), 1)
  await enter(own.phone)
  await fillRequest(page, day)
  const send = () => page.getByRole('button', { name: 'Send request' }).click()
  await signInAfterSessionEnd(page, portal, own.phone, send)
  await expect(amountField(page)).toHaveValue('1,000')
  await expect(dateField(page)).toContainText(shown(day))
  await signInAfterSessionEnd(page, portal, (await borrower(loan)).phone, send)
  await expect(requestButton(page)).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  expect(await page.evaluate(() => sessionStorage.getItem('typed'))).toBeNull()
})

test('the focus goes back to the button that opened the dialog, also where it has a reason by then', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  await enter((await borrower(loan)).phone)
  await fillRequest(page, addDays(dayInIndia(portal.clock.now()), 3))
  await page.keyboard.press('Tab')
  await dialog(page).getByRole('button', { name: 'Send request' }).press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect(requestButton(page)).toHaveAccessibleDescription(/Your lender has not yet decided/)
  await expect(requestButton(page)).toBeFocused()
})

test.describe('in New York', () => {
  test.use({ timezoneId: 'America/New_York' })

  test('offers tomorrow to 30 days from today in India, by mouse and by keyboard', async ({ page, portal, enter, borrower }) => {
    const today = dayInIndia(portal.clock.now())
    await enter((await borrower(loan)).phone)
    await requestButton(page).click()
    await expect(dialog(page)).toContainText(`From ${shown(addDays(today, 1))} to ${shown(addDays(today, 30))}`)
    await dateField(page).click()
    const day = (of: Day) => calendar(page).getByRole('button', { name: cell(of), exact: true })
    const days = calendar(page).getByRole('cell')
    await expect(days).toHaveCount(42)
    await expect(calendar(page).getByRole('columnheader').first()).toHaveText('Sun')
    await expect(day(addDays(today, 1))).toBeFocused()
    // The month of tomorrow may begin after today.
    if ((await day(today).count()) > 0) {
      await expect(day(today)).toHaveAttribute('aria-disabled', 'true')
      // With force: the test would wait for it to be enabled.
      await day(today).click({ force: true })
      await expect(calendar(page)).toBeVisible()
    }
    // Thirty days ahead, and no more; the keyboard goes to the end of that month.
    const [begin, end] = [addMonths(today, 0, 1), addDays(addMonths(addDays(today, 30), 1, 1), -1)]
    const furthest = addDays(today, 36) < end ? addDays(today, 36) : end
    for (let week = 0; week < 5; week += 1) await page.keyboard.press('ArrowDown')
    await expect(day(furthest)).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(calendar(page)).toBeVisible()
    const back = addDays(furthest, -35)
    for (let week = 0; week < 5; week += 1) await page.keyboard.press('ArrowUp')
    await expect(day(back > begin ? back : begin)).toBeFocused()
    // 'Today' is not selectable, and the reason is shown.
    const todayButton = calendar(page).getByRole('button', { name: 'Today' })
    await expect(todayButton).toHaveAttribute('aria-disabled', 'true')
    await expect(todayButton).toHaveAccessibleDescription(`The first date you can choose is ${shown(addDays(today, 1))}.`)
    await todayButton.click({ force: true })
    await expect(calendar(page)).toBeVisible()
    // A range of a month needs no buttons for a year.
    await expect(calendar(page).getByRole('button', { name: /year/ })).toHaveCount(0)
    await day(addDays(today, 1)).focus()
    await page.keyboard.press('Enter')
    await expect(dateField(page)).toContainText(shown(addDays(today, 1)))
    await expect(dateField(page)).toBeFocused()
    await dateField(page).click()
    await calendar(page).getByRole('button', { name: 'Clear' }).click()
    await expect(dateField(page)).toContainText('Choose a date')
  })
})

test('nobody asks for a disbursal of a loan that is overdue or wholly paid out, nor without the permission', async ({
  page,
  enter,
  borrower,
}) => {
  await enter((await borrower({ ...loan, dueInDays: -3 })).phone)
  await expect(requestButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(card(page)).toContainText('Available once nothing is overdue')
  await enter((await borrower()).phone)
  await expect(card(page)).toContainText('The full amount of this loan has been disbursed or requested')
  await page.route('**/auth/permissions', (route) => route.fulfill({ json: { permissions: [] } }))
  await enter((await borrower(loan)).phone)
  await expect(card(page)).toContainText('Action not allowed')
  await requestButton(page).click({ force: true })
  await expect(dialog(page)).toBeHidden()
})

test('the head’s button and its reason end at the right edge of the card', async ({ page, enter }) => {
  await enter(demoPhone(2))
  const reason = 'The full amount of this loan has been disbursed or requested'
  const button = page.getByRole('button', { name: 'Request disbursal' })
  await expect(page.getByText(reason).last()).toBeVisible()
  const edge = (locator: Locator) => locator.evaluate((one) => Math.round(one.getBoundingClientRect().right))
  const table = await edge(page.getByRole('region', { name: 'Disbursals of this loan' }))
  expect(await edge(button)).toBe(table)
  expect(await edge(page.locator('#disbursals').locator('xpath=../following-sibling::div').getByText(reason))).toBe(table)
})
