import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import type { App } from '#testkit/start-app.ts'
import { changeLoan } from './floating.ts'
import { completed, countdown, hostedPay, openTrail, optionCard, paiseIn, payButton, pending } from './payments-tab.ts'
import { addOwnLoan, newBorrower, startPayment, type Borrower } from './people.ts'
import { expect, refused, test } from './portal.ts'
import { countPresses } from './presses.ts'

type Row = { due_date: string; status: string; total_charges: { total_pending_amount: number }[] }

/** The API's data of a demo person's first loan, to compare the screen with. */
async function factsOf(portal: App, number: number, lanPart = '') {
  const token = await portal.signIn(demoPhone(number))
  const loans = (await portal.get('/portal/loans-summary', token)).body['loans'] as Record<string, unknown>[]
  const loan = loans.find(({ lan }) => String(lan).includes(lanPart)) ?? {}
  const { body } = await portal.get(`/portal/repayment-schedule?lead_id=${String(loan['lead_id'] ?? loan['lan'])}`, token)
  return { loan, rows: body['repayment_schedule'] as Row[], allowed: body['allowed_payments'] as Record<string, Record<string, number>> }
}

/** A bank transfer of what is overdue, without the last rupees or paise of it. */
async function transferAllBut(portal: App, own: Borrower, rupeesLeft: number): Promise<void> {
  const { body } = await portal.get(`/portal/repayment-schedule?lead_id=${own.lan}`, await portal.signIn(own.phone))
  const { overdue_payment: overdue } = body['allowed_payments'] as { overdue_payment: { amount: number } }
  await changeLoan(portal, own, async (loan) => {
    const given = { mode: 'neft', reference: `UTR${own.lan}`, purpose: 'OVERDUE', date: dayInIndia(loan.now) } as const
    await recordPayment(loan, { ...given, amountPaise: rupeesToPaise(overdue.amount - rupeesLeft) })
    return { answer: null, log: null }
  })
}

const rupees = (amount: unknown): string => {
  const isWhole = Number.isInteger(Number(amount))
  return new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR', minimumFractionDigits: isWhole ? 0 : 2 }).format(
    Number(amount),
  )
}
const day = (text: unknown): string =>
  new Intl.DateTimeFormat('en-IN', { day: '2-digit', month: 'short', year: 'numeric', timeZone: 'UTC' })
    .format(new Date(String(text)))
    .replace('Sept', 'Sep')

const summary = (page: Page) => page.getByRole('region', { name: 'Loan summary' })
const option = (page: Page, name: string) =>
  page.getByRole('group', { name: 'What do you want to pay?' }).getByRole('radio', { name: new RegExp(`^${name}`) })
const filters = (page: Page) => page.getByRole('group', { name: 'Show rows' })
const schedule = (page: Page) => page.getByRole('region', { name: 'Repayment schedule', exact: true })
const table = (page: Page) => schedule(page).getByRole('table')
const fact = (page: Page, term: string) =>
  page
    .getByRole('term')
    .filter({ hasText: new RegExp(`^${term}$`) })
    .locator('xpath=following-sibling::dd')
    .first()

test('01: one active loan, shown to the rupee', async ({ page, portal, enter }) => {
  const { loan, allowed } = await factsOf(portal, 1)
  await enter(demoPhone(1))
  await expect(summary(page)).toContainText(rupees(loan['principal_outstanding']))
  await expect(summary(page)).toContainText('On time')
  await expect(summary(page)).toContainText(rupees(allowed['next_emi_payment']?.['amount']))
  await expect(summary(page)).toContainText(`due ${day(loan['due_date'])}`)
  await expect(fact(page, 'EMI')).toContainText(rupees(loan['emi_amount']))
  await expect(fact(page, 'Interest rate')).toContainText(`${String(loan['interest_rate'])}%`)
  await expect(fact(page, 'Sanctioned')).toContainText(rupees(loan['sanctioned_amount']))
  await expect(fact(page, 'Instalments left')).toContainText(String(loan['number_of_emis_due']))
  await expect(fact(page, 'Instalments left')).toContainText(`${String(loan['number_of_emis_paid'])} paid`)
  await expect(page.getByRole('combobox')).toHaveCount(0)

  // The next step comes first, the principal second; how that is computed is asked beside it.
  await expect(summary(page).getByRole('heading')).toHaveText(['Next EMI', 'Principal outstanding'])
  await page.getByRole('button', { name: 'How is this computed? Principal outstanding' }).click()
  await expect(
    page.getByText('Outstanding principal is what was disbursed, less the principal part of everything you have paid.'),
  ).toBeVisible()
})

test('01: the payments tab has its options, its schedule and what was paid', async ({ page, portal, enter }) => {
  const { rows, allowed } = await factsOf(portal, 1)
  await enter(demoPhone(1), '/active-loans/payments')
  await expect(option(page, 'Next EMI')).toBeChecked()
  await expect(option(page, 'Overdue amount')).toBeDisabled()
  await expect(page.getByText('Nothing is overdue')).toBeVisible()
  await expect(option(page, 'Part payment')).toBeEnabled()
  await expect(option(page, 'Foreclosure')).toBeEnabled()
  await expect(page.getByRole('region', { name: `What ${rupees(allowed['next_emi_payment']?.['amount'])} covers` })).toBeVisible()

  const count = (status: string) => rows.filter((row) => row.status === status).length
  await expect(filters(page).getByRole('button')).toHaveText([
    `Total ${rows.length}`,
    `Paid ${count('Paid')}`,
    `Due ${count('Due')}`,
    `Late ${count('Late')}`,
  ])
  await expect(table(page).getByRole('row')).toHaveCount(rows.length + 1)
  // The table opens at the first unpaid row.
  await page.getByText(`of ${rows.length} Entries`).scrollIntoViewIfNeeded()
  await expect(
    table(page).getByRole('row', { name: new RegExp(day(rows.find(({ status }) => status === 'Due')?.due_date)) }),
  ).toBeInViewport()

  await filters(page).getByRole('button', { name: /^Paid/ }).click()
  await expect(page.getByText(new RegExp(`^Showing 1 to \\d+ of ${count('Paid')} Entries$`))).toBeVisible()
  await expect(table(page).getByText('Due', { exact: true })).toHaveCount(0)
  await filters(page).getByRole('button', { name: /^Late/ }).click()
  await expect(page.getByText('No data found')).toBeVisible()

  await expect(completed(page)).toHaveCount(count('Paid'))
  const latest = completed(page).first()
  await openTrail(latest)
  await expect(page.getByText('Applied to your loan')).toBeVisible()
  await expect(page.getByText(/^plink_/)).toBeVisible()
})

for (const width of [1280, 768])
  test(`the schedule’s rows are counted by those in view, ${width} px wide`, async ({ page, enter }) => {
    await page.setViewportSize({ width, height: 900 })
    await enter(demoPhone(1), '/active-loans/payments')
    const shownRows = page.getByText(/^Showing \d+ to \d+ of 84 Entries$/)
    /** The rows that are more than half visible between the head and the lower edge. */
    const inView = () =>
      page.getByRole('region', { name: 'Schedule table' }).evaluate((region) => {
        const top = region.querySelector('thead th:nth-child(2)')?.getBoundingClientRect().bottom ?? 0
        const bottom = region.getBoundingClientRect().bottom
        const numbers = [...region.querySelectorAll('tbody tr:not([id])')].flatMap((row, index) => {
          const box = row.getBoundingClientRect()
          const middle = (box.top + box.bottom) / 2
          return middle >= top && middle <= bottom ? [index + 1] : []
        })
        return `Showing ${numbers.at(0)} to ${numbers.at(-1)} of 84 Entries`
      })
    const expectInView = () => expect.poll(async () => (await shownRows.textContent()) === (await inView())).toBe(true)
    const scrollTo = (row: number) =>
      page.getByRole('region', { name: 'Schedule table' }).evaluate((region, place) => {
        region.scrollTop = place === 84 ? region.scrollHeight : place * 44
      }, row)
    await expect(shownRows).toHaveText(/^Showing 21 to 2\d of/)
    await expectInView()
    await scrollTo(0)
    await expect(shownRows).toHaveText(/^Showing 1 to [6-9] of/)
    await expectInView()
    await scrollTo(84)
    await expect(shownRows).toHaveText(/to 84 of 84 Entries$/)
    await expectInView()
    // Details below a row push other rows out of view.
    await scrollTo(20)
    await expect(shownRows).toHaveText(/^Showing 2\d to 2\d of/)
    const before = await shownRows.textContent()
    await page.getByRole('button', { name: /^How is this computed\? Instalment 22/ }).click()
    await expect(page.getByRole('table', { name: /^Instalment 22/ })).toBeVisible()
    await expect(shownRows).not.toHaveText(before ?? '')
    await expect.poll(async () => (await shownRows.textContent()) === (await inView())).toBe(true)
  })

test('02: of two loans, none active, the first is shown; charges and days late are shown', async ({ page, portal, enter }) => {
  const { loan, rows } = await factsOf(portal, 2, '001208')
  await enter(demoPhone(2))
  const selector = page.getByRole('combobox', { name: /^Selected loan/ })
  await expect(selector).toContainText('MBA, 2025 to 2027')
  await expect(selector).toContainText('Overdue')
  await expect(summary(page)).toContainText('12 days')
  await expect(summary(page)).toContainText(rupees(loan['dues']))
  await expect(summary(page).getByRole('heading')).toHaveText(['Overdue amount', 'Principal outstanding'])
  // One question in words, for the overdue amount; the others are signs beside their figures.
  await expect(summary(page).getByText('How is this computed?')).toHaveCount(1)

  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(page.getByText(/is 12 days late\./)).toBeVisible()
  await expect(option(page, 'Overdue amount')).toBeChecked()
  await expect(option(page, 'Part payment')).toBeDisabled()
  await expect(page.getByText('Clear the overdue amount first')).toBeVisible()
  const charges = rows.flatMap((row) => row.total_charges).reduce((sum, charge) => sum + charge.total_pending_amount, 0)
  expect(charges).toBeGreaterThan(0)
  await expect(page.getByText(`Charges to pay: ${rupees(charges)}`)).toBeVisible()
  await filters(page)
    .getByRole('button', { name: /^Late 1$/ })
    .click()
  await expect(page.getByText('Showing 1 to 1 of 1 Entries')).toBeVisible()
})

test('02: choosing the other loan leads back to its details', async ({ page, enter }) => {
  await enter(demoPhone(2), '/active-loans/payments')
  const selector = page.getByRole('combobox', { name: /^Selected loan/ })
  await selector.click()
  await expect(page.getByRole('option')).toHaveCount(2)
  await page.getByRole('option', { name: /Diploma in design/ }).click()
  await expect(page).toHaveURL(/\/active-loans$/)
  await expect(selector).toContainText('Diploma in design')
  await expect(summary(page)).toContainText('Closed')
  await expect(page.getByText('This loan is closed. Nothing is left to pay.')).toBeVisible()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(selector).toContainText('Diploma in design')
  await expect(filters(page).getByRole('button')).toHaveText(['Total 12', 'Paid 12', 'Due 0', 'Late 0'])
})

test('the first ACTIVE loan is preselected, wherever it is in the list', async ({ page, portal, enter }) => {
  const late = await newBorrower(portal, { dueInDays: -20, title: 'Late loan' })
  await addOwnLoan(portal, late.borrowerId, { title: 'Running loan' })
  await enter(late.phone)
  const selector = page.getByRole('combobox', { name: /^Selected loan/ })
  await expect(selector).toContainText('Running loan')
  await selector.press('Enter')
  await page.getByRole('option', { name: /Late loan/ }).click()
  await expect(selector).toContainText('Late loan')
  await page.reload()
  await expect(selector).toContainText('Running loan')
})

test('the loan that is shown stays, also when its status changes meanwhile', async ({ page, portal, enter }) => {
  const { borrowerId, phone } = await newBorrower(portal, { title: 'First loan' })
  await addOwnLoan(portal, borrowerId, { title: 'Second loan' })
  await page.clock.install()
  await enter(phone)
  const selector = page.getByRole('combobox', { name: /^Selected loan/ })
  await expect(selector).toContainText('First loan')
  await page.route('**/portal/loans-summary*', async (route) => {
    const response = await route.fetch()
    const { loans, ...rest } = await response.json()
    const [first, ...others] = loans
    await route.fulfill({ response, json: { ...rest, loans: [{ ...first, loan_status: 'CLOSED' }, ...others] } })
  })
  // Back from the provider's page after the last payment, when the data is no longer fresh.
  await page.clock.fastForward(31_000)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await expect(summary(page)).toContainText('Closed')
  await expect(selector).toContainText('First loan')
  await page.getByRole('link', { name: 'Your profile' }).click()
  await page.getByRole('link', { name: 'Active loans' }).click()
  await expect(selector).toContainText('First loan')
})

test('04: a closed loan has everything paid and nothing to pay', async ({ page, enter }) => {
  await enter(demoPhone(4))
  await expect(summary(page)).toContainText('Closed')
  await expect(summary(page)).toContainText('₹0')
  await expect(page.getByText('This loan is closed. Nothing is left to pay.')).toBeVisible()
  await expect(page.getByText(/\bEMI\b/)).toHaveCount(0)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Closed loan' }).getByRole('button', { name: 'Closure certificate' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Make payment' })).toBeHidden()
  await page.getByText('Payment options', { exact: true }).click()
  await expect(filters(page).getByRole('button')).toHaveText(['Total 18', 'Paid 18', 'Due 0', 'Late 0'])
  await expect(page.getByRole('button', { name: 'Make payment' })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('Nothing to pay now').first()).toBeVisible()
})

test('a loan that the lender checks shows no figures that are not final, and whom to call', async ({ page, enter, borrower }) => {
  // More was disbursed than sanctioned.
  const own = await borrower({ rupees: 120_000, sanctionedRupees: 100_000, paid: 0 })
  await enter(own.phone)
  const note = page.getByRole('region', { name: 'Your lender is checking this loan' })
  await expect(note.getByRole('link', { name: /^1800/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Disbursals', exact: true })).toBeVisible()
  await expect(summary(page)).toHaveCount(0)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(schedule(page)).toContainText('Being checked')
  await expect(note).toContainText('Its figures are not final, and you cannot start a payment here until the check is over.')
  await expect(filters(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Make a payment' })).toHaveCount(0)
})

test('05: overdue by 45 days is emphasised, with its amount', async ({ page, portal, enter }) => {
  const { allowed } = await factsOf(portal, 5)
  await enter(demoPhone(5))
  await expect(summary(page)).toContainText('45 days')
  await expect(summary(page)).toContainText(rupees(allowed['overdue_payment']?.['amount']))
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(page.getByText(/is 45 days late\./)).toBeVisible()
  await expect(option(page, 'Overdue amount')).toBeChecked()
  await expect(filters(page).getByRole('button', { name: /^Late 2$/ })).toBeVisible()
})

test('06: no loan at all has a friendly text', async ({ page, enter }) => {
  await enter(demoPhone(6))
  await expect(page.getByRole('heading', { name: 'No Loans Found' })).toBeVisible()
  await expect(page.getByText("You currently don't have any active loans. When you take a loan, it will appear here.")).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: /^1800/ })).toHaveAttribute('href', /^tel:1800/)
  await page.getByRole('link', { name: 'Contact support' }).click()
  await expect(page).toHaveURL(/\/customer-support$/)
  await page.goto('/active-loans/payments')
  await expect(page.getByRole('heading', { name: 'No Loans Found' })).toBeVisible()
})

test('07: without a lead id documents say so, while schedule and paying work', async ({ page, enter }) => {
  await enter(demoPhone(7), '/active-loans/documents')
  await expect(page.getByText('Lead ID not available for document upload')).toBeVisible()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(filters(page).getByRole('button', { name: /^Total 72$/ })).toBeVisible()
  await page.getByRole('button', { name: 'Make payment' }).click()
  const countdown = page.getByRole('dialog', { name: 'Taking you to the payment page' })
  await expect(countdown).toContainText('KST-25-002650')
  await countdown.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel payment' }).click()
  await page.getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(page.getByRole('button', { name: 'Make payment' })).toBeVisible()
})

test('11: a payoff past the limit of one link is shown, explained and not offered', async ({ page, portal, enter }) => {
  const { allowed } = await factsOf(portal, 11)
  const before = (await portal.sandbox('/state'))['links'] as unknown[]
  await enter(demoPhone(11), '/active-loans/payments')
  await expect(page.getByText(/The amount is above the limit of a payment link: pay by NEFT or RTGS\.$/)).toBeVisible()
  await expect(page.getByText(/to ₹5,00,000, the limit of a payment link\./)).toBeVisible()
  await page.getByText('Foreclosure', { exact: true }).first().click()
  await expect(option(page, 'Foreclosure')).toBeChecked()
  await expect(page.getByText(rupees(allowed['foreclosure_payment']?.['amount'])).first()).toBeVisible()
  const account = page.getByRole('region', { name: 'Pay by NEFT or RTGS' })
  await expect(account.getByRole('definition')).toHaveText([/^Meghdoot Education Finance Ltd$/, /^50200012345678/, /^MEGH0000001/, /^KST-/])
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await account.getByRole('button', { name: 'Copy Account number' }).click()
  await expect(account.getByRole('button', { name: 'Copied Account number' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('50200012345678')
  const pay = page.getByRole('button', { name: 'Make payment' })
  await expect(pay).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('Pay this amount by NEFT or RTGS', { exact: true }).first()).toBeVisible()
  await pay.click({ force: true })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect((await portal.sandbox('/state'))['links']).toHaveLength(before.length)
})

test('what is above the limit of a payment link has no button on the loan page, and a way to the account', async ({
  page,
  enter,
  borrower,
}) => {
  await page.route('**/portal/repayment-schedule?*', async (route) => {
    const response = await route.fetch()
    const { allowed_payments: allowed, ...body } = await response.json()
    const overdue_payment = { ...allowed.overdue_payment, isLimited: true }
    await route.fulfill({ response, json: { ...body, allowed_payments: { ...allowed, overdue_payment } } })
  })
  await enter((await borrower({ dueInDays: -3 })).phone)
  await expect(summary(page).getByRole('heading', { name: 'Overdue amount' })).toBeVisible()
  const link = summary(page).getByRole('link', { name: 'Pay this amount by NEFT or RTGS' })
  await expect(link).toBeVisible()
  await expect(summary(page).getByRole('button', { name: 'Pay now' })).toHaveCount(0)
  await link.click()
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
})

for (const { what, loan, button, amount } of [
  { what: 'pay the EMI', loan: {}, button: 'Pay EMI', amount: 'next_emi_payment' },
  { what: 'pay what is overdue', loan: { dueInDays: -12 }, button: 'Pay now', amount: 'overdue_payment' },
] as const)
  test(`${what}: at most 2 presses from the loan page to the provider’s page`, async ({ page, portal, enter, borrower }) => {
    const { phone, lan } = await borrower(loan)
    const { body } = await portal.get(`/portal/repayment-schedule?lead_id=${lan}`, await portal.signIn(phone))
    const allowed = body['allowed_payments'] as Record<string, { amount: number }>
    await enter(phone)
    const presses = await countPresses(page)
    await summary(page).getByRole('button', { name: button }).click()
    await expect(countdown(page)).toContainText(rupees(allowed[amount]?.amount))
    await expect(countdown(page)).toContainText(lan)
    await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
    await expect(hostedPay(page)).toContainText(rupees(allowed[amount]?.amount))
    expect(presses()).toBe(2)
  })

test('an overdue amount below ₹1, which no link may carry, has no button and says why', async ({ page, portal, enter, borrower }) => {
  const own = await borrower({ dueInDays: -12 })
  await transferAllBut(portal, own, 0.4)
  await enter(own.phone)
  // What is left is of the late charge: no EMI contains it.
  const reason = 'Less than ₹1 is too little for a payment link. Ask your lender about it.'
  await expect(summary(page)).toContainText('₹0.40')
  await expect(summary(page)).toContainText(reason)
  await expect(summary(page).getByRole('button', { name: 'Pay now' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(page.getByText(reason)).toBeVisible()
  await expect(option(page, 'Overdue amount')).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Make payment' })).toHaveAttribute('aria-disabled', 'true')
})

test('a countdown that is cancelled on the loan page leaves the payment to be resumed, with the focus on the button', async ({
  page,
  enter,
  borrower,
}) => {
  await enter((await borrower()).phone)
  await summary(page).getByRole('button', { name: 'Pay EMI' }).click()
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()
  const resume = summary(page).getByRole('button', { name: 'Resume payment' })
  await expect(resume).toBeFocused()
  await expect(summary(page).getByRole('heading')).toHaveText(['A payment is pending', 'Principal outstanding'])
})

test('a pending payment is shown on every tab, with a button that resumes it', async ({ page, portal, enter, borrower }) => {
  const own = await borrower()
  await startPayment(portal, own)
  await enter(own.phone)
  const places = [summary(page), pending(page), pending(page)]
  for (const [index, tab] of ['Loan details', 'Payments', 'Documents'].entries()) {
    await page.getByRole('link', { name: tab, exact: true }).click()
    const place = places[index] ?? summary(page)
    await expect(place).toContainText('A payment is pending')
    await expect(place).toContainText('Waiting for payment')
    await place.getByRole('button', { name: 'Resume payment' }).click()
    await expect(countdown(page)).toContainText(own.lan)
    await countdown(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(countdown(page)).toBeHidden()
  }
  await page.getByRole('link', { name: 'Loan details', exact: true }).click()
  await summary(page).getByRole('link', { name: 'Details of this payment' }).click()
  await expect(pending(page).getByRole('button', { name: 'Cancel payment' })).toBeVisible()
})

test('a payment that cannot be started on the loan page says so there, and trying again helps', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(503, '/portal/payment-link'))
  await page.route('**/portal/payment-link?*', (route) => route.fulfill({ status: 503, body: '' }))
  await enter((await borrower()).phone)
  const pay = summary(page).getByRole('button', { name: 'Pay EMI' })
  await pay.click()
  await expect(summary(page).getByRole('alert')).toHaveText('Failed to create payment. Please try again.')
  await page.unroute('**/portal/payment-link?*')
  await pay.click()
  await expect(countdown(page)).toBeVisible()
})

test('while it is not known whether a payment is pending, none can be started; trying again helps', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(500, '/portal/ongoing-payment'))
  await page.route('**/portal/ongoing-payment*', (route) => route.fulfill({ status: 500, body: '' }))
  await enter((await borrower()).phone)
  const note = summary(page).getByRole('alert').filter({ hasText: 'Failed to load pending payments' })
  await expect(note).toBeVisible()
  await expect(summary(page).getByRole('button', { name: 'Pay EMI' })).toHaveCount(0)
  await page.unroute('**/portal/ongoing-payment*')
  await note.getByRole('button', { name: 'Try again' }).click()
  await expect(summary(page).getByRole('button', { name: 'Pay EMI' })).toBeVisible()
})

test('the EMIs are saved as a calendar file', async ({ page, portal, enter }) => {
  const { loan, allowed } = await factsOf(portal, 1)
  await enter(demoPhone(1))
  const saving = page.waitForEvent('download')
  await summary(page).getByRole('button', { name: 'Add to calendar' }).click()
  const download = await saving
  expect(download.suggestedFilename()).toBe(`EMI_${String(loan['lan'])}.ics`)
  const file = await readFile(await download.path(), 'utf8')
  expect(file.split('\r\n')).toEqual(
    expect.arrayContaining([
      'BEGIN:VCALENDAR',
      `DTSTART;VALUE=DATE:${String(loan['due_date']).replaceAll('-', '')}`,
      `SUMMARY:EMI of ${rupees(allowed['next_emi_payment']?.['amount']).replaceAll(',', '\\,')}\\, loan ${String(loan['lan'])}`,
      `RRULE:FREQ=MONTHLY;COUNT=${Number(loan['number_of_emis_due']) - 1};BYMONTHDAY=5`,
    ]),
  )
})

test('04: the closure certificate and the interest certificate of the last year are saved by one press each', async ({
  page,
  portal,
  enter,
}) => {
  const { loan } = await factsOf(portal, 4)
  // A phone whose date is wrong.
  await page.clock.setSystemTime('2031-01-01T06:00:00Z')
  await enter(demoPhone(4))
  await expect(summary(page).getByRole('heading', { name: /^Closed on \d{2} \w{3} \d{4}$/ })).toBeVisible()
  await expect(summary(page).getByRole('img', { name: /^CLOSED, / })).toBeVisible()
  for (const [name, file] of [
    ['Closure certificate', `Loan closure certificate_${String(loan['as_of'])}.pdf`],
    ['Interest certificate', `Interest certificate_${String(loan['as_of'])}.pdf`],
  ] as const) {
    const saving = page.waitForEvent('download')
    await summary(page).getByRole('button', { name }).click()
    const download = await saving
    expect(download.suggestedFilename()).toBe(file)
    expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-')
  }
})

test('04: a certificate that cannot be made says so at its button, and trying again helps', async ({ page, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/portal/generate-document'))
  await page.route('**/portal/generate-document*', (route) => route.fulfill({ status: 503, body: '' }))
  await enter(demoPhone(4))
  await summary(page).getByRole('button', { name: 'Closure certificate' }).click()
  await expect(summary(page).getByRole('alert')).toHaveText('Failed to generate document, please retry')
  await page.unroute('**/portal/generate-document*')
  const saving = page.waitForEvent('download')
  await summary(page).getByRole('button', { name: 'Try Again' }).click()
  expect((await saving).suggestedFilename()).toMatch(/^Loan closure certificate_/)
})

test('04: a certificate that is refused while the loan is checked names support, and offers no other try', async ({
  page,
  enter,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(409, '/portal/generate-document'))
  await page.route('**/portal/generate-document*', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      json: {
        type: 'about:blank',
        title: 'This document is not available for the loan',
        status: 409,
        detail: 'What the loan owes is being checked. Please ask support for the document.',
        code: 'DocumentNotAvailable',
        refusal: 'loan_unknown',
        request_id: 'r',
      },
    }),
  )
  await enter(demoPhone(4))
  await summary(page).getByRole('button', { name: 'Closure certificate' }).click()
  await expect(summary(page).getByRole('alert')).toHaveText('What this loan owes is being checked. Ask customer support for the document.')
  await expect(summary(page).getByRole('button', { name: 'Closure certificate' })).toBeVisible()
  await expect(summary(page).getByRole('button', { name: 'Try Again' })).toHaveCount(0)
})

test('02: the chart of the instalments is drawn as its table says, and tells late ones without colour', async ({ page, enter, portal }) => {
  const { rows } = await factsOf(portal, 2, '001208')
  await enter(demoPhone(2))
  const chart = summary(page).getByRole('img', { name: /instalments paid/ })
  await expect(chart.locator('[data-bars]')).not.toHaveCount(0)
  const drawn = await chart.locator('[data-bars]').evaluateAll((paths) =>
    paths.flatMap((path) =>
      [...(path.getAttribute('d') ?? '').matchAll(/M([\d.]+) [-\d.]+h[\d.]+v([\d.]+)/g)].map(([, x, height]) => ({
        look: path.getAttribute('data-bars'),
        place: Math.floor(Number(x)),
        height: Number(height),
      })),
    ),
  )
  const bars = drawn.filter(({ look }) => look !== 'gaps' && look !== 'ends').toSorted((one, other) => one.place - other.place)
  const looks: Record<string, string> = { Paid: 'paid', Late: 'caution', Due: 'left' }
  expect(bars.map(({ look }) => look)).toEqual(rows.map(({ status }) => looks[status]))
  const placesOf = (look: string) => new Set(drawn.filter((each) => each.look === look).map(({ place }) => place))
  expect(placesOf('gaps')).toEqual(placesOf('caution'))
  expect(placesOf('ends')).toEqual(placesOf('left'))

  // The table has the balance after each row; a bar shows the one before it.
  await summary(page).getByText('Show as a table').click()
  const cells = summary(page).getByRole('table', { name: 'Balance after each instalment' }).locator('tbody td:last-child')
  await expect(cells).toHaveCount(rows.length)
  const after = (await cells.allTextContents()).map((text) => Number(paiseIn(text)))
  const unit = (bars[1]?.height ?? 0) / (after[0] ?? 1)
  for (const [index, { height }] of bars.entries())
    if (index > 0) expect(Math.abs(height - (after[index - 1] ?? 0) * unit)).toBeLessThan(0.5)
})

test('loading loans are announced; when they fail, why, and trying again helps', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/portal/loans-summary'))
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/portal/loans-summary', async (route) => {
    await held
    await route.fulfill({ status: 503, body: '' })
  })
  await enter((await borrower()).phone)
  await expect(page.getByText('Loading loans...').first()).toBeVisible()
  release()
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load loans' })
  await expect(panel).toContainText('Backend is temporarily down. Please try again.')
  await page.unroute('**/portal/loans-summary')
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect(summary(page)).toBeVisible()
})

test('what was loaded stays when asking again fails, with the open dialog and the amount typed into it', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(/net::ERR_FAILED/)
  await page.clock.install()
  await enter((await borrower()).phone, '/active-loans/payments')
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  const amount = page.getByRole('dialog', { name: 'Part payment' }).getByRole('textbox')
  await amount.fill('23456')
  const failing = ['repayment-schedule', 'ongoing-payment', 'completed-payments']
  for (const call of failing) await page.route(`**/portal/${call}*`, (route) => route.abort())
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(request.url()))
  // Back from the bank's app, when the data is no longer fresh.
  await page.clock.fastForward(31_000)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  // Each call fails, and so does its retry half a second later.
  await expect
    .poll(async () => {
      await page.clock.fastForward(1_000)
      return failing.every((call) => failed.filter((url) => url.includes(call)).length >= 2)
    })
    .toBe(true)
  await expect(amount).toHaveValue('23,456')
  await expect(page.getByText('Failed to load the schedule')).toHaveCount(0)
  await expect(page.getByText('Failed to load pending payments')).toHaveCount(0)
})

test('a schedule that fails to load replaces the schedule area, and completed payments stay', async ({
  page,
  enter,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(500, '/portal/repayment-schedule'))
  await page.route('**/portal/repayment-schedule*', (route) => route.fulfill({ status: 500, body: '' }))
  await enter((await borrower()).phone, '/active-loans/payments')
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load the schedule' })
  await expect(panel).toBeVisible()
  await expect(completed(page)).toHaveCount(3)
  await page.unroute('**/portal/repayment-schedule*')
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect(table(page)).toBeVisible()
})

test('a late loan whose payment options fail to load says why it cannot be paid now', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(500, '/portal/repayment-schedule'))
  await page.route('**/portal/repayment-schedule*', (route) => route.fulfill({ status: 500, body: '' }))
  await enter((await borrower({ dueInDays: -12 })).phone)
  const pay = summary(page).getByRole('button', { name: 'Pay now' })
  await expect(pay).toHaveAttribute('aria-disabled', 'true')
  await expect(pay).toHaveAccessibleDescription('The payment options could not be loaded')
  await expect(summary(page).getByText('The payment options could not be loaded')).toBeVisible()
})

for (const { status, text, action } of [
  { status: 403, text: 'You do not have permission to access this resource.', action: 'Go to home' },
  { status: 422, text: 'The information you are looking for is temporarily unavailable. Please try again after a while.', action: null },
])
  test(`an answer of ${status} is shown in its own words`, async ({ page, enter, borrower, browserErrors }) => {
    browserErrors.expectConsole(refused(status, '/portal/loans-summary'))
    await page.route('**/portal/loans-summary', (route) => route.fulfill({ status, body: '' }))
    await enter((await borrower()).phone)
    await expect(page.getByRole('alert')).toContainText(text)
    if (action) await expect(page.getByRole('alert').getByRole('link', { name: action })).toBeVisible()
    else await expect(page.getByRole('alert').getByRole('button')).toHaveCount(0)
  })

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true })

  test('the schedule has rows of two lines, ten at first, all when asked, each with the rest on a press', async ({
    page,
    enter,
    borrower,
  }) => {
    await enter((await borrower({ paid: 3, instalments: 24 })).phone, '/active-loans/payments')
    const rows = schedule(page).getByRole('list', { name: 'Schedule table' }).locator(':scope > li')
    await expect(rows).toHaveCount(10)
    await expect(page.getByText('Showing 4 to 13 of 24 Entries')).toBeVisible()
    for (const row of await rows.all()) expect((await row.boundingBox())?.height).toBeLessThanOrEqual(64)
    await expect(rows.first()).toContainText(/Due.*₹5,649.*Balance after ₹/)
    // Anywhere on the row.
    await rows.first().click({ position: { x: 20, y: 20 } })
    await expect(rows.first().getByRole('term')).toHaveText(['Principal', 'Interest'])
    await expect(rows.first().getByRole('table', { name: /^Instalment 4,/ })).toBeVisible()
    await page.getByRole('button', { name: 'Show all 24 rows' }).click()
    await expect(rows).toHaveCount(24)
    await expect(page.getByText('Showing 1 to 24 of 24 Entries')).toBeVisible()
    // The first row that was not shown before.
    await expect(rows.first()).toBeFocused()
  })

  test('the chart of the balance is shown when asked for', async ({ page, enter, borrower }) => {
    await enter((await borrower()).phone, '/active-loans/payments')
    const region = page.getByRole('region', { name: 'Balance over time' })
    await expect(region.getByRole('img')).toBeHidden()
    const show = region.getByRole('button', { name: 'Show' })
    await expect(show).toHaveAttribute('aria-expanded', 'false')
    await show.click()
    await expect(region.getByRole('img')).toBeVisible()
    await region.getByRole('button', { name: 'Hide' }).click()
    await expect(region.getByRole('img')).toBeHidden()
  })

  test('completed payments have rows of two lines, ten at first, all when asked', async ({ page, enter, borrower }) => {
    await enter((await borrower({ paid: 14, instalments: 24 })).phone, '/active-loans/payments')
    await expect(completed(page)).toHaveCount(10)
    for (const row of await completed(page).all()) expect((await row.boundingBox())?.height).toBeLessThanOrEqual(64)
    await page.getByRole('button', { name: 'Show all 14 payments' }).click()
    await expect(completed(page)).toHaveCount(14)
    await expect(completed(page).nth(10)).toBeFocused()
  })
})
