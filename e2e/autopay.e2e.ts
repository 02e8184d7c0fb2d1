import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { makeBrandFolder } from '#testkit/brand-folder.ts'
import {
  announceDebit,
  debitWith,
  moveTo,
  presentDebit,
  readAutopay,
  readDebits,
  requestMandate,
  setUpMandate,
  tokenOf,
} from './autopay-debits.ts'
import { expectAccessible } from './accessible.ts'
import { cell, shown } from './days.ts'
import { option, payButton, scheduleRow } from './payments-tab.ts'
import { codeFor, expect, refused, showAsChecked, test, until, wrongCode } from './portal.ts'
import { assumeBorrower, newStaff } from './staff.ts'

// Days pass here, so no other file shares the portal, which knows the bank holidays of the sandbox.
const brand = makeBrandFolder({})
copyFileSync(join(import.meta.dirname, '../sandbox/recurring/bank-holidays.json'), join(brand, 'bank-holidays.json'))
test.use({ portalSettings: { KIST_SWEEP_INTERVAL_MS: '300', KIST_BRAND_DIR: brand } })

const payments = '/active-loans/payments'
const card = (page: Page) => page.getByRole('region', { name: 'Autopay', exact: true })
const setUpButton = (page: Page) => card(page).getByRole('button', { name: 'Set up autopay' })
const dialog = (page: Page) => page.getByRole('dialog')
const debits = (page: Page) => card(page).getByRole('region', { name: 'List of debits' }).locator('tbody > tr:not([id])')

/** What has the focus after an answer that removes the button which asked. */
const heading = (page: Page) => page.getByRole('heading', { name: 'Autopay', exact: true })

/** Opens the history of debits. */
const openDebits = (page: Page) => card(page).getByText('Debits so far').click()

async function approveInNewTab(page: Page, link: string): Promise<void> {
  const [tab] = await Promise.all([page.waitForEvent('popup'), card(page).getByRole('link', { name: link }).click()])
  await tab.getByRole('button', { name: 'Approve', exact: true }).click()
  await tab.close()
}

test('a borrower sets up UPI Autopay; the EMI is announced, debited, posted and receipted', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  const own = await borrower({ dueInDays: 5 })
  await enter(own.phone, payments)
  await setUpButton(page).click()
  await expect(dialog(page).getByRole('radio', { name: /^UPI Autopay/ })).toBeChecked()
  await expect(dialog(page)).toContainText('Two days before: you are told the amount.')
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Agree and continue' }).click()
  await expect(dialog(page).getByText('Tick the box to agree')).toBeVisible()
  await dialog(page).getByLabel('Limit for each debit').fill('100')
  await expect(dialog(page).getByText(/^The limit must be at least ₹/)).toBeVisible()
  await dialog(page).getByLabel('Limit for each debit').fill('9000')
  await dialog(page).getByRole('checkbox').check()
  await dialog(page).getByRole('button', { name: 'Agree and continue' }).click()
  await expect(card(page).getByText('Waiting for approval', { exact: true })).toBeVisible()
  await page.reload()
  await expect(card(page).getByText('Waiting for approval', { exact: true })).toBeVisible()
  await expectAccessible(page)
  // The first read of the card after the approval fails.
  browserErrors.expectConsole(refused(500, '/portal/autopay'))
  let isApproved = false
  await page.route('**/portal/autopay/mandates/*', async (route) => {
    const response = await route.fetch()
    isApproved = ((await response.json()) as { mandate: { status: string } }).mandate.status === 'active'
    await route.fulfill({ response })
  })
  let hasFailed = false
  await page.route('**/portal/autopay?*', async (route) => {
    if (!isApproved || hasFailed) return route.continue()
    hasFailed = true
    return route.fulfill({ status: 500, body: '' })
  })
  await approveInNewTab(page, 'Approve in the UPI app')
  await expect(card(page).getByText('On', { exact: true })).toBeVisible()
  await expect(card(page)).toContainText('₹9,000')
  await expect(card(page)).toContainText('Next debit')
  expect(hasFailed).toBe(true)
  await page.unrouteAll({ behavior: 'ignoreErrors' })

  const announced = await announceDebit(portal, own)
  await enter(own.phone, '/active-loans')
  await expect(page.getByText(/^due .* · autopay debits it$/)).toBeVisible()
  await enter(own.phone, payments)
  await expect(card(page)).toContainText('Will be debited')
  await expect(card(page)).toContainText(shown(announced.debit_on))
  await card(page).locator('summary').first().click()
  await expect(card(page).getByRole('row', { name: /^Total/ })).toBeVisible()
  await card(page).getByText('How is this computed?').click()
  await expect(card(page).locator('[aria-live=polite][aria-busy=false]')).toBeVisible()
  await expectAccessible(page)

  // So that it is still under way when the page has been looked at.
  await portal.sandbox('/debits/next', { outcome: 'success', after_seconds: 900 })
  await presentDebit(portal, own, 6.01)
  await enter(own.phone, payments)
  const loanPage = await page.context().newPage()
  await loanPage.goto('/active-loans')
  const dueOnLoanPage = loanPage.getByText(/^due /)
  await expect(dueOnLoanPage).toHaveText(`due ${shown(announced.debit_on)} · autopay is debiting it now`)
  await expect(card(page).getByText('Debit in progress', { exact: true })).toBeVisible()
  await expect(card(page)).toContainText(/Your bank tells us the outcome by .*\./)
  await expect(page.getByRole('region', { name: 'Make a payment' })).toContainText(/is being debited by autopay.* by \d\d/)
  await expect(option(page, 'Next EMI')).toBeDisabled()
  await expect(payButton(page)).toBeDisabled()
  await expectAccessible(page)

  await portal.clock.advance(930_000)
  await debitWith(portal, own, 'captured')
  // Both pages ask by themselves.
  await expect(card(page).getByText('On', { exact: true })).toBeVisible()
  await expect(dueOnLoanPage).not.toContainText(shown(announced.debit_on))
  await openDebits(page)
  await expect(debits(page)).toHaveCount(1)
  await expect(debits(page)).toContainText('Debited')
  await expect(scheduleRow(page, 4)).toContainText('Paid')
  await debits(page)
    .getByRole('button', { name: /^What happened/ })
    .click()
  const trail = card(page).getByRole('list', { name: /^What happened/ })
  await expect(trail).toContainText('announced to you')
  await expect(trail).toContainText('requested at your bank')
  await expect(trail).toContainText('Applied to your loan')
  await expect(trail).toContainText(/Receipt \S+/)
  await expect(card(page).getByRole('button', { name: /receipt/i })).toBeVisible()
  await expect(payButton(page)).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('button', { name: /^Notices/ }).click()
  await expect(page.getByRole('link', { name: /was debited by autopay/ })).toBeVisible()
})

test('the notice of a debit that pays an older EMI alone says so, and the EMI of its day is left to pay', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const own = await borrower({ dueInDays: -25 })
  await setUpMandate(portal, own)
  const { debit_on: debitOn } = await announceDebit(portal, own)
  await enter(own.phone, payments)
  await page.getByRole('button', { name: /^Notices/ }).click()
  const [older, day] = [shown(addMonths(debitOn, -1)), shown(debitOn)]
  await expect(page.getByRole('link', { name: new RegExp(`, due by ${older}, will be debited by autopay on ${day}\\.`) })).toBeVisible()
  await expect(page.getByRole('link', { name: new RegExp(` falls due on ${day}\\.`) })).toBeVisible()
})

test('a bank mandate is confirmed by the bank, and its debit known two working days later', async ({ page, portal, enter, borrower }) => {
  const own = await borrower({ dueInDays: 8 })
  await enter(own.phone, payments)
  await setUpButton(page).click()
  await dialog(page).getByText('Bank mandate (eNACH)').click()
  await dialog(page).getByRole('checkbox').check()
  await dialog(page).getByRole('button', { name: 'Agree and continue' }).click()
  await expect(dialog(page).getByText('Choose how you approve it')).toBeVisible()
  await expect(dialog(page).getByText('Enter the account number, 9 to 18 digits')).toBeVisible()
  await expectAccessible(page)
  await dialog(page).getByRole('radio', { name: 'Netbanking' }).check()
  await dialog(page).getByLabel('Name of the account holder').fill('Nisha Verma')
  await expect(dialog(page).getByLabel('Account number')).toHaveAttribute('inputmode', 'numeric')
  await dialog(page).getByLabel('Account number').fill('११२१ 4311 2154')
  await dialog(page).getByLabel('IFSC').fill('hdfc0000001')
  await dialog(page).getByRole('radio', { name: 'Savings' }).check()
  const sent = page.waitForRequest('**/portal/autopay/mandates')
  await dialog(page).getByRole('button', { name: 'Agree and continue' }).click()
  expect((await sent).postDataJSON()).toMatchObject({
    account: { beneficiary_name: 'Nisha Verma', account_number: '112143112154', account_type: 'savings', ifsc_code: 'HDFC0000001' },
  })
  await expect(dialog(page)).toBeHidden()
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain('112143112154')
  await setUpAgainIsEmpty(page)
  await approveInNewTab(page, 'Approve with the bank')
  await expect(card(page).getByText('Waiting for the bank', { exact: true })).toBeVisible()
  await expect(card(page)).toContainText('Waiting for the bank. This page updates on its own.')
  await portal.sandbox(`/mandates/${await tokenOf(portal, own)}/confirm`, {})
  await expect(card(page).getByText('On', { exact: true })).toBeVisible()
  await expect(card(page)).toContainText('HDFC 2154')

  const announced = await announceDebit(portal, own)
  await enter(own.phone, payments)
  await expect(card(page)).toContainText('Will be debited')
  await expect(card(page)).toContainText(shown(announced.debit_on))
  const { debit_on: debitOn, expected_by: expectedBy } = await presentDebit(portal, own, 7.01)
  await enter(own.phone, payments)
  await expect(card(page).getByText('Debit in progress', { exact: true })).toBeVisible()
  await expect(payButton(page)).toBeDisabled()
  await moveTo(portal, addDays(debitOn, 1), 9)
  await enter(own.phone, payments)
  await expect(page.getByText('It is being debited by autopay now.')).toBeVisible()
  await expect(page.getByText(/^Your EMI of .* is 1 day late\.$/)).toBeVisible()
  const knownOn = dayInIndia(new Date(expectedBy ?? ''))
  await moveTo(portal, knownOn, 18)
  await debitWith(portal, own, 'captured')
  await enter(own.phone, payments)
  await openDebits(page)
  await expect(debits(page)).toContainText('Debited')
  await expect(debits(page)).toContainText(shown(debitOn))
  // Its money counts from the day of the debit.
  await expect(scheduleRow(page, 4)).toContainText('Paid')
  await debits(page)
    .getByRole('button', { name: /^What happened/ })
    .click()
  const trail = card(page).getByRole('list', { name: /^What happened/ })
  await expect(trail).toContainText('requested at your bank')
  await expect(trail).toContainText(/Receipt \S+/)
  const { body } = await portal.get('/portal/loans-summary', await portal.signIn(own.phone))
  expect(body['loans']).toMatchObject([{ loan_status: 'ACTIVE', dues: 0, dpd: 0 }])
})

/** Nothing that was typed is left in the page. */
async function setUpAgainIsEmpty(page: Page): Promise<void> {
  await expect(card(page).getByText('Waiting for approval', { exact: true })).toBeVisible()
  await expect(page.getByText('112143112154')).toHaveCount(0)
}

test('of a loan that is checked, what a debit covers is shown without how it is computed', async ({ page, portal, enter, borrower }) => {
  const own = await borrower({ dueInDays: 5 })
  await setUpMandate(portal, own)
  await announceDebit(portal, own)
  await showAsChecked(page)
  await enter(own.phone, payments)
  await card(page).locator('summary').first().click()
  await expect(card(page).getByRole('row', { name: /^Total/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Repayment schedule', exact: true })).toBeVisible()
  await expect(card(page).getByText('How is this computed?')).toHaveCount(0)
})

test('a request that is no longer followed is followed again, and the focus stays in the card', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const own = await borrower({ dueInDays: 6 })
  await requestMandate(portal, own)
  await page.clock.install()
  await enter(own.phone, payments)
  await expect(card(page)).toContainText('Waiting for your approval. This page updates on its own.')
  await page.clock.fastForward('11:00')
  await card(page).getByRole('button', { name: 'Check again' }).click()
  await expect(card(page)).toContainText('Waiting for your approval. This page updates on its own.')
  await expect(heading(page)).toBeFocused()
})

test('an announced debit is skipped, and the EMI can be paid by hand', async ({ page, portal, enter, borrower }) => {
  const own = await borrower({ dueInDays: 5 })
  await setUpMandate(portal, own)
  await announceDebit(portal, own)
  await enter(own.phone, payments)
  await card(page).getByRole('button', { name: 'Skip this one' }).click()
  await expect(dialog(page)).toContainText('The instalment stays due')
  // One of the two reads that follow removes the button before the other has come.
  await page.route('**/portal/autopay/collections?*', async (route) => {
    await expect(page.getByRole('button', { name: 'Skip this one' })).toHaveCount(0)
    await route.continue()
  })
  await dialog(page).getByRole('button', { name: 'Skip this one' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(heading(page)).toBeFocused()
  await openDebits(page)
  await expect(debits(page)).toContainText('You skipped it.')
  await expect(card(page)).toContainText('Next debit')
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await expectAccessible(page)
})

test('autopay is paused and resumed here; a pause in the app can only be ended there', async ({ page, portal, enter, borrower }) => {
  const own = await borrower({ dueInDays: 6 })
  await setUpMandate(portal, own)
  await enter(own.phone, payments)
  await expect(card(page).getByRole('button', { name: 'Pause' })).toBeVisible()
  // The answer is shown even if the loan cannot be read again.
  await page.route('**/portal/**', (route) => (route.request().method() === 'GET' ? undefined : route.fallback()))
  await card(page).getByRole('button', { name: 'Pause' }).click()
  await dialog(page).getByRole('button', { name: 'Pause' }).click()
  await expect(card(page).getByText('Paused', { exact: true })).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await expectAccessible(page)
  await card(page).getByRole('button', { name: 'Resume' }).click()
  await expect(card(page).getByRole('status').getByText('On', { exact: true })).toBeVisible()
  await expect(heading(page)).toBeFocused()
  await portal.sandbox(`/mandates/${await tokenOf(portal, own)}/pause`, {})
  await until(async () => ((await readAutopay(portal, own))['mandate'] as { paused_by: string | null }).paused_by === 'app')
  await page.reload()
  await expect(card(page)).toContainText('Autopay is paused in your UPI app.')
  await expect(card(page).getByRole('button', { name: 'Resume' })).toHaveCount(0)
})

test('autopay is ended with a fresh code', async ({ page, portal, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(400, '/cancel'))
  const own = await borrower({ dueInDays: 6 })
  await setUpMandate(portal, own)
  await enter(own.phone, payments)
  await card(page).getByRole('button', { name: 'End autopay' }).click()
  const before = portal.outbox().length
  await dialog(page).getByRole('button', { name: 'Send OTP' }).click()
  const code = await codeFor(portal, own.phone, before)
  await expect(dialog(page).getByRole('textbox', { name: '6-digit OTP' })).toBeFocused()
  await page.keyboard.type(wrongCode(code))
  await dialog(page).getByRole('button', { name: 'End autopay' }).click()
  await expect(dialog(page).getByText('This OTP is wrong or has expired. Check the latest SMS.')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(code)
  await dialog(page).getByRole('button', { name: 'End autopay' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card(page)).toContainText('Nothing more will be debited.')
  // UPI confirms it a minute later.
  await portal.clock.advance(61_000)
  await expect(card(page)).toContainText('You ended autopay. Your EMIs stay due: pay them yourself.')
  await expect(setUpButton(page)).toBeVisible()
})

test('a code that could not be sent again can be asked for at once; an end whose answer is lost is shown', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(/ERR_FAILED/)
  const own = await borrower({ dueInDays: 6 })
  await setUpMandate(portal, own)
  await enter(own.phone, payments)
  await card(page).getByRole('button', { name: 'End autopay' }).click()
  await page.route('**/cancel-code', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), resend_after_seconds: 0 } })
  })
  const before = portal.outbox().length
  await dialog(page).getByRole('button', { name: 'Send OTP' }).click()
  const code = await codeFor(portal, own.phone, before)
  await expect(dialog(page).getByRole('textbox', { name: '6-digit OTP' })).toBeFocused()
  await page.route('**/cancel-code', (route) => route.abort(), { times: 1 })
  await dialog(page).getByRole('button', { name: 'Resend OTP' }).click()
  await expect(dialog(page)).toContainText('Network error occurred.')
  await expect(dialog(page).getByRole('button', { name: 'Resend OTP', exact: true })).toBeEnabled()

  await page.route('**/cancel', async (route) => {
    // Nothing else can be pressed while the end is sent, and nothing closes the dialog.
    for (const name of ['Resend OTP', 'Keep it on', 'Close'])
      await expect(dialog(page).getByRole('button', { name, exact: true })).toHaveAttribute('aria-disabled', 'true')
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toBeVisible()
    await route.fetch()
    await route.abort()
  })
  await dialog(page).getByRole('textbox', { name: '6-digit OTP' }).click()
  await page.keyboard.type(code)
  await dialog(page).getByRole('button', { name: 'End autopay' }).click()
  await expect(card(page)).toContainText('Nothing more will be debited.')
  await expect(dialog(page)).toHaveCount(0)
})

test('a code that was sent can be typed after the dialog was closed; how long to wait for another is shown', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(429, '/cancel-code'))
  const own = await borrower({ dueInDays: 6 })
  await setUpMandate(portal, own)
  await page.clock.install()
  await enter(own.phone, payments)
  const open = () => card(page).getByRole('button', { name: 'End autopay' }).click()
  await page.route(
    '**/cancel-code',
    (route) => {
      const problem = { type: 'about:blank', title: 'x', status: 429, detail: 'x', code: 'AuthResendTooSoon', request_id: 'x' }
      return route.fulfill({
        status: 429,
        headers: { 'retry-after': '90' },
        contentType: 'application/problem+json',
        body: JSON.stringify(problem),
      })
    },
    { times: 1 },
  )
  await open()
  await dialog(page).getByRole('button', { name: 'Send OTP' }).click()
  await expect(dialog(page).getByText('An OTP was sent a moment ago. You can ask for another in 90 seconds.')).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: /^Resend OTP in \d+s$/ })).toHaveAttribute('aria-disabled', 'true')

  await page.clock.fastForward(91_000)
  const before = portal.outbox().length
  await dialog(page).getByRole('button', { name: 'Send OTP' }).click()
  const code = await codeFor(portal, own.phone, before)
  const field = dialog(page).getByRole('textbox', { name: '6-digit OTP' })
  await expect(field).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await open()
  await expect(field).toBeFocused()
  await expect(dialog(page).getByRole('button', { name: /^Resend OTP/ })).toBeVisible()
  await page.keyboard.type(code)
  await dialog(page).getByRole('button', { name: 'End autopay' }).click()
  await expect(card(page)).toContainText('Nothing more will be debited.')
})

test('a debit that failed is explained, and tried once more on a day that the borrower chooses', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const own = await borrower({ dueInDays: 5 })
  await setUpMandate(portal, own)
  await announceDebit(portal, own)
  await portal.sandbox('/debits/next', { outcome: 'failure', reason: 'insufficient_funds' })
  await presentDebit(portal, own, 6.01)
  await portal.clock.advance(120_000)
  const failed = await debitWith(portal, own, 'failed')
  await enter(own.phone, payments)
  await expect(card(page)).toContainText('There was too little money in the account.')
  await expectAccessible(page)
  await card(page).getByRole('button', { name: 'Pay it yourself' }).click()
  await expect(page.getByRole('heading', { name: 'Make a payment' })).toBeFocused()
  await card(page).getByRole('button', { name: 'Choose a day' }).click()
  const { retry } = failed as unknown as { retry: { from: Day } }
  await dialog(page).getByRole('button', { name: /^Date/ }).click()
  const calendar = page.getByRole('dialog', { name: 'Date', exact: true })
  await expect(calendar.getByRole('table')).toBeVisible()
  const day = calendar.getByRole('button', { name: cell(retry.from), exact: true })
  if (!(await day.isVisible())) await calendar.getByRole('button', { name: 'Next month' }).click()
  await day.click()
  await dialog(page).getByRole('button', { name: 'Debit on this day' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(heading(page)).toBeFocused()
  await expect(card(page)).toContainText('It is tried once more, as shown below.')
  await expect(card(page)).toContainText(shown(retry.from))
  expect((await readDebits(portal, own)).filter(({ attempt }) => attempt === 2)).toMatchObject([
    { status: 'planned', debit_on: retry.from },
  ])
})

test('a press on the payment button during a debit says why nothing is paid, and until when', async ({
  page,
  portal,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(409, '/portal/payment-link'))
  const own = await borrower({ dueInDays: 5 })
  await setUpMandate(portal, own)
  const { debit_on: debitOn } = await announceDebit(portal, own)
  await moveTo(portal, debitOn, 5.9)
  await enter(own.phone, payments)
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  // So that it is still under way after the press.
  await portal.sandbox('/debits/next', { outcome: 'success', after_seconds: 900 })
  await presentDebit(portal, own, 6.01)
  const refusal = page.waitForResponse(
    (response) => new URL(response.url()).pathname.endsWith('/portal/payment-link') && response.status() === 409,
  )
  await payButton(page).click()
  await refusal
  // At the button, until the payment options are off and say it themselves.
  await expect(page.getByRole('region', { name: 'Make a payment' })).toContainText(/is being debited by autopay.* (until|by) \d\d/)
  await expect(card(page).getByText('Debit in progress', { exact: true })).toBeVisible()
})

test('staff who act for a borrower see autopay and change nothing of it', async ({ page, portal, enter, borrower }) => {
  const own = await borrower({ dueInDays: 6 })
  await setUpMandate(portal, own)
  await enter(await newStaff(portal), '/users')
  await assumeBorrower(page, own.phone)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(card(page).getByText('On', { exact: true })).toBeVisible()
  for (const name of ['Pause', 'End autopay'])
    await expect(card(page).getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
  await expect(card(page).getByText('Action not allowed').first()).toBeVisible()
  await card(page).getByRole('button', { name: 'Pause' }).click({ force: true })
  await expect(dialog(page)).toHaveCount(0)
})
