import type { Locator, Page } from '@playwright/test'
import { dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { expectAccessible } from './accessible.ts'
import { option, optionCard, paiseIn, scheduleRow } from './payments-tab.ts'
import { expect, refused, showAsChecked, test } from './portal.ts'

const summary = (page: Page) => page.getByRole('region', { name: 'Loan summary' })
const covers = (page: Page) => page.getByRole('region', { name: /^What ₹.* covers$/ })

/** For a month of 31, 30, or 28 and 29 days before its next due date. */
const demoEmi = '₹8,0(?:58|59|60)'

/** Counts the requests for explanations. */
function watchQuestions(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/portal/explain')) asked.push(url.searchParams.get('what') ?? '')
  })
  return asked
}

/**
 * Adds up a table: all its lines but the last must equal the last one. @returns the total, in
 * paise.
 */
async function totalOf(ledger: Locator): Promise<bigint> {
  await expect(ledger).toBeVisible()
  const cells = await ledger.locator('td').allTextContents()
  const amounts = cells.map((text) => (text.includes('−') ? -paiseIn(text) : paiseIn(text)))
  const total = amounts.pop() ?? 0n
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(total)
  return total
}

test('EMI and APR are explained beside the figures, on demand, by keyboard alone', async ({ page, enter }) => {
  const asked = watchQuestions(page)
  await enter(demoPhone(1))
  const emi = summary(page).getByRole('button', { name: 'How is this computed? EMI' })
  await expect(emi).toHaveAttribute('aria-expanded', 'false')
  expect(asked).toEqual([])

  await emi.focus()
  await page.keyboard.press('Enter')
  await expect(emi).toHaveAttribute('aria-expanded', 'true')
  await expect(
    page.getByText(
      new RegExp(String.raw`^The EMI of ${demoEmi} repays ₹[\d,.]+ with interest at 11\.25% a year in \d+ equal instalments\.`),
    ),
  ).toBeVisible()
  expect(asked).toEqual(['instalment'])
  await expect(emi).toBeFocused()

  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(emi).toHaveAttribute('aria-expanded', 'false')
  const net = page.getByRole('table', { name: 'Net amount you receive' })
  expect(await totalOf(net)).toBe(80_000_000n)
  await expect(page.getByText(/^Discounted at 11\.25% a year, one twelfth of it each month/)).toBeVisible()
  expect(asked).toEqual(['instalment'])
})

test('of a loan that is checked, no instalment is explained, and the rows say why', async ({ page, enter, borrower }) => {
  const asked = watchQuestions(page)
  await showAsChecked(page)
  await enter((await borrower()).phone, '/active-loans/payments')
  await scheduleRow(page, 4)
    .getByRole('button', { name: /^How is this computed/ })
    .click()
  const schedule = page.getByRole('region', { name: 'Repayment schedule', exact: true })
  await expect(schedule.getByText('Your lender is checking this loan')).toBeVisible()
  expect(asked).toEqual([])
})

test('charges are called by words, also those that the portal does not know', async ({ page, portal, enter, borrower }) => {
  const { phone, borrowerId, loanId } = await borrower({ dueInDays: -3 })
  const now = portal.clock.now()
  const raised = (chargeType: string) => ({
    chargeId: `charge:${chargeType}`,
    date: dayInIndia(now),
    chargeType,
    amountPaise: rupeesToPaise(59),
    penal: false,
  })
  const charges = ['BOUNCE_CHARGE', 'BOUNCE_CHARGE_TAX', 'LEGAL_NOTICE_FEE', 'LEGAL_NOTICE_FEE_TAX'].map(raised)
  await withLockedLoan(portal.database, { borrowerId, loanId }, now, (loan) => addCharges(loan, charges))
  await enter(phone)
  await summary(page).getByText('How is this computed? Dues, Days past due').click()
  const dues = page.getByRole('table', { name: 'Dues' })
  await expect(dues.getByRole('rowheader')).toContainText([
    'Bounce charge',
    'GST on the bounce charge',
    'Charge: legal notice fee',
    'GST on legal notice fee',
    'Dues',
  ])
  await page.getByRole('button', { name: 'हिन्दी' }).first().click()
  await expect(page.getByRole('table').getByRole('rowheader').filter({ hasText: 'बाउंस शुल्क' })).toHaveText([
    'बाउंस शुल्क',
    'बाउंस शुल्क पर जीएसटी',
  ])
})

test('what is overdue adds up, with the days it is late', async ({ page, enter }) => {
  await enter(demoPhone(2))
  await summary(page).getByText('How is this computed? Dues, Days past due').click()
  const dues = summary(page).getByRole('table', { name: 'Dues' })
  expect(await totalOf(dues)).toBe(950_000n)
  await expect(dues).toContainText('Late charge')
  await expect(summary(page).getByText(/^Instalment 10 fell due on .* and is the oldest unpaid\./)).toBeVisible()
  await expect(
    summary(page)
      .getByRole('paragraph')
      .filter({ hasText: /^12 days late$/ }),
  ).toBeVisible()

  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(option(page, 'Overdue amount')).toBeChecked()
  await covers(page).getByText('How is this computed? Dues, Days past due').click()
  expect(await totalOf(covers(page).getByRole('table', { name: 'Dues' }))).toBe(950_000n)
})

test('the payoff adds up from principal and its interest to the day', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await optionCard(page, 'Foreclosure').click()
  await covers(page).getByText('How is this computed? Foreclosure').click()
  const payoff = covers(page).getByRole('table', { name: 'Foreclosure' }).last()
  await expect(payoff).toContainText('Principal not yet due')
  await expect(payoff).toContainText(/Interest on ₹[\d,.]+ at 12% a year/)
  await expect(payoff).toContainText(/\d+ days of the month’s \d+/)
  const heading = await covers(page).getByRole('heading').textContent()
  expect(await totalOf(payoff)).toBe(paiseIn(heading))
})

test('each row of the schedule opens to its steps, and several stay open', async ({ page, enter }) => {
  const asked = watchQuestions(page)
  await enter(demoPhone(1), '/active-loans/payments')
  const row = (number: number) => page.getByRole('button', { name: new RegExp(`^How is this computed\\? Instalment ${number},`) })
  const ledger = (number: number) => page.getByRole('table', { name: new RegExp(`^Instalment ${number},`) })
  const amount = paiseIn(await scheduleRow(page, 20).getByRole('cell').nth(2).textContent())
  await row(20).click()
  expect(await totalOf(ledger(20))).toBe(amount)
  await expect(page.getByText(/of interest received on/)).toBeVisible()
  await row(21).click()
  await totalOf(ledger(21))
  await expect(ledger(20)).toBeVisible()
  expect(asked).toEqual(['row:20', 'row:21'])

  await page.emulateMedia({ media: 'print' })
  await expect(ledger(21)).toBeVisible()
  await expect(row(22)).toBeHidden()
  await page.emulateMedia({ media: 'screen' })
  await row(21).click()
  await expect(ledger(21)).toHaveCount(0)
})

test('what cannot be loaded says so in its place, and trying again helps', async ({ page, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/portal/explain'))
  await page.route('**/portal/explain*', (route) => route.fulfill({ status: 503, body: '' }))
  await enter(demoPhone(1))
  await page.getByRole('button', { name: 'How is this computed? EMI' }).click()
  const panel = summary(page).getByRole('alert').filter({ hasText: 'Failed to load how this is computed' })
  await expect(panel).toContainText('Backend is temporarily down. Please try again.')
  await page.unroute('**/portal/explain*')
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect(summary(page).getByText(new RegExp(`^The EMI of ${demoEmi} repays`))).toBeVisible()
  await expect(summary(page).getByRole('table')).toHaveCount(0)
})

for (const { language, viewport } of [
  { language: 'en', viewport: { width: 1280, height: 800 } },
  { language: 'hi', viewport: { width: 360, height: 740 } },
])
  test.describe(`${language}, ${viewport.width} wide`, () => {
    test.use({ viewport, contextOptions: { reducedMotion: 'reduce' } })

    test('what is opened breaks no rule of accessibility and is not wider than the screen', async ({ page, context, enter }) => {
      await context.addInitScript((shown) => {
        if (location.protocol.startsWith('http')) localStorage.setItem('language', shown)
      }, language)
      for (const path of ['/active-loans', '/active-loans/payments']) {
        await enter(demoPhone(2), path)
        const ask = language === 'en' ? 'How is this computed?' : 'यह हिसाब कैसे लगा?'
        await page.getByText(ask).first().click()
        await page.getByRole('button', { name: ask }).or(page.locator('li summary')).first().click()
        await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
        await expect(page.locator('main table [scope=row]').first()).toBeVisible()
        await expectAccessible(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
      }
    })
  })
