import type { Page } from '@playwright/test'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { formatDay, formatMoney } from '#web/ui/format.ts'
import { expectAccessible } from './accessible.ts'
import {
  banner,
  changeLoan,
  choose,
  comparison,
  confirmation,
  newFloatingBorrower,
  openComparison,
  optionCard,
  pick,
  readReset,
  withdraw,
  type FloatingBorrower,
} from './floating.ts'
import { expect, refused, test } from './portal.ts'
import type { App } from '#testkit/start-app.ts'

const rupees = (amount: number): string => formatMoney(rupeesToPaise(amount))
const field = (page: Page) => comparison(page).getByLabel('The EMI you want')

/** Money that came to the lender's bank: the loan has changed since its figures were shown. */
const receivePartPayment = (portal: App, own: FloatingBorrower, amount: number): Promise<void> =>
  changeLoan(portal, own, async (loan) => {
    const given = { mode: 'neft', reference: `UTR${own.lan}`, purpose: 'PART_PAYMENT__REDUCE_TENOR' } as const
    await recordPayment(loan, { ...given, amountPaise: rupeesToPaise(amount), date: dayInIndia(loan.now) })
    return { answer: null, log: null }
  })

test('the new rate is announced above the loan, and what is chosen is what happens', async ({ page, portal, enter }) => {
  const own = await newFloatingBorrower(portal)
  const reset = await readReset(portal, own)
  await enter(own.phone)
  await expect(banner(page)).toContainText(`Your interest rate changes from 11% to 11.75% on ${formatDay(own.effectiveOn, 'en')}`)
  await expect(banner(page)).toContainText(`Choose by ${formatDay(addDays(own.effectiveOn, -1), 'en')}`)
  await expect(banner(page)).toContainText(`the EMI will be ${rupees(Number(reset.default_instalment))}`)

  await openComparison(page)
  await expect(comparison(page).getByRole('radio')).toHaveCount(4)
  await expect(optionCard(page, 'Keep the EMI')).toContainText('Applies if you choose nothing')
  for (const option of reset.options) {
    const name = { keep_emi: 'Keep the EMI', keep_tenor: 'Keep the end date', between: 'An EMI in between' }[option.option]
    if (name !== undefined) await expect(optionCard(page, name)).toContainText(rupees(option.instalment))
  }
  await expectAccessible(page)

  const tenor = reset.options.find(({ option }) => option === 'keep_tenor')?.instalment ?? 0
  await pick(page, 'Keep the end date')
  await comparison(page).getByRole('button', { name: 'Continue' }).click()
  await expect(confirmation(page, 'Keep the end date')).toContainText(`your EMI will be ${rupees(tenor)}`)
  await expectAccessible(page)
  // Back keeps what was chosen.
  await confirmation(page, 'Keep the end date').getByRole('button', { name: 'Back' }).click()
  // The next press waits until it has faded out.
  await expect(page.getByRole('dialog', { name: 'Choose ‘Keep the end date’?', includeHidden: true })).toHaveCount(0)
  await expect(comparison(page).getByRole('radio', { name: 'Keep the end date' })).toBeChecked()
  await choose(page, 'Keep the end date')
  await expect(banner(page)).toContainText(`You chose: Keep the end date. The EMI will be ${rupees(tenor)}`)
  await expect(banner(page).getByRole('status')).toHaveText('Your choice is saved.')
  expect(await readReset(portal, own)).toMatchObject({ state: 'chosen', choice: 'keep_tenor', instalment: tenor })

  // Until the last day another choice replaces it.
  await banner(page).getByRole('button', { name: 'Choose something else' }).click()
  await expect(comparison(page).getByRole('radio', { name: 'Keep the end date' })).toBeChecked()
})

test('an EMI in between is checked while it is typed, and its figures are those that are chosen', async ({ page, portal, enter }) => {
  const own = await newFloatingBorrower(portal)
  const between = (await readReset(portal, own)).options.find(({ option }) => option === 'between')
  const [min, max] = [between?.instalment_min ?? 0, between?.instalment_max ?? 0]
  await enter(own.phone)
  await openComparison(page)
  await pick(page, 'An EMI in between')
  for (const [typed, problem] of [
    [String(min - 1), `The EMI must be at least ${rupees(min)}`],
    [String(max + 1), `The EMI cannot exceed ${rupees(max)}`],
    [`${min + 1}.50`, 'Enter whole rupees'],
    ['', 'Please enter a valid amount'],
  ] as const) {
    await field(page).fill(typed)
    await expect(comparison(page).getByText(problem)).toBeVisible()
    await comparison(page).getByRole('button', { name: 'Continue' }).click()
    await expect(confirmation(page, 'An EMI in between')).toBeHidden()
  }
  await field(page).fill(String(min + 2))
  await expect(optionCard(page, 'An EMI in between')).toContainText(rupees(min + 2))
  await choose(page, 'An EMI in between')
  await expect(banner(page)).toContainText(`You chose: An EMI in between. The EMI will be ${rupees(min + 2)}`)
  expect(await readReset(portal, own)).toMatchObject({ choice: 'between', instalment: min + 2 })
})

test('the curves are drawn as their table says, and need no colour', async ({ page, portal, enter }) => {
  const own = await newFloatingBorrower(portal)
  await enter(own.phone)
  await openComparison(page)
  await expect(comparison(page).getByRole('img', { name: /^Keep the EMI: the loan ends in .* At today’s rate it ends in / })).toBeVisible()
  const lines = await comparison(page)
    .locator('figure polyline')
    .evaluateAll((all) => all.map((line) => ({ points: line.getAttribute('points') ?? '', dashes: line.getAttribute('stroke-dasharray') })))
  expect(lines.map(({ dashes }) => dashes)).toEqual([null, '1.5 4'])
  await comparison(page).getByText('Show as a table').click()
  const rows = comparison(page).getByRole('table').getByRole('row')
  await expect(rows).not.toHaveCount(0)
  const cells = await rows.evaluateAll((rows) =>
    rows.slice(1).map((row) => [...row.querySelectorAll('td,th')].map((one) => one.textContent)),
  )
  const amounts = cells
    .map(([, amount]) => (amount === '–' ? null : Number((amount ?? '').replaceAll(/[₹,]/g, ''))))
    .filter((one) => one !== null)
  const heights = (lines[0]?.points ?? '').split(' ').map((point) => 100 - Number(point.split(',')[1]))
  expect(heights.length).toBe(amounts.length)
  const top = (amounts[0] ?? 0) / (heights[0] ?? 1)
  for (const [index, height] of heights.entries()) expect(Math.abs(height * top - (amounts[index] ?? 0))).toBeLessThan(top * 0.02)
})

test('a part payment that keeps both leads to the payment with its amount', async ({ page, portal, enter }) => {
  const own = await newFloatingBorrower(portal)
  await enter(own.phone)
  await openComparison(page)
  await pick(page, 'Pay a part now')
  await choose(page, 'Pay a part now')
  await expect(banner(page)).toContainText('You chose: Pay a part now.')
  const link = banner(page).getByRole('link', { name: /^Make the part payment of ₹/ })
  const amount = (await link.textContent())?.replace(/^.*₹/, '') ?? ''
  await link.click()
  const dialog = page.getByRole('dialog', { name: 'Part payment' })
  await expect(dialog.getByLabel('Amount')).toHaveValue(amount)
  await expect(dialog.getByRole('radio', { name: 'Reduce Tenor' })).toBeChecked()
})

test('figures that the loan has outgrown are shown anew, with what was entered', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(409, '/choice'))
  const own = await newFloatingBorrower(portal)
  await enter(own.phone)
  await openComparison(page)
  await pick(page, 'Keep the end date')
  const before = (await readReset(portal, own)).options.find(({ option }) => option === 'keep_emi')
  await receivePartPayment(portal, own, 100_000)
  await choose(page, 'Keep the end date')
  await expect(comparison(page).getByText('Your loan has changed, so the figures have too.')).toBeVisible()
  await expect(comparison(page).getByRole('radio', { name: 'Keep the end date' })).toBeChecked()
  expect((await readReset(portal, own)).options.find(({ option }) => option === 'keep_emi')).not.toEqual(before)
  await choose(page, 'Keep the end date')
  await expect(banner(page)).toContainText('You chose: Keep the end date.')
})

test('a choice that cannot be sent says so, and trying again helps', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/choice'))
  const own = await newFloatingBorrower(portal)
  await enter(own.phone)
  await openComparison(page)
  await page.route('**/portal/rate-resets/*/choice', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
  await choose(page, 'Keep the EMI')
  const asked = confirmation(page, 'Keep the EMI')
  await expect(asked.getByRole('alert')).toContainText('Backend is temporarily down. Please try again.')
  await asked.getByRole('button', { name: 'Choose this' }).click()
  await expect(banner(page)).toContainText('You chose: Keep the EMI.')
})

test('resets that cannot be loaded are reported above the loan, and trying again helps', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(503, '/portal/rate-resets'))
  const own = await newFloatingBorrower(portal)
  await page.route('**/portal/rate-resets?*', (route) => route.fulfill({ status: 503, body: '' }))
  await enter(own.phone)
  await expect(page.getByText('Failed to load changes of your interest rate')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Loan summary' })).toBeVisible()
  await page.unroute('**/portal/rate-resets?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(banner(page)).toBeVisible()
})

test('a reset that the lender withdraws changes nothing, also while it is compared', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(409, '/choice'))
  const own = await newFloatingBorrower(portal)
  await enter(own.phone)
  await openComparison(page)
  await withdraw(portal, own)
  await choose(page, 'Keep the EMI')
  const over = page.getByRole('dialog', { name: 'Nothing to choose' })
  await expect(over).toContainText('Your lender has withdrawn this change of the rate. Nothing changes for you.')
  await over.getByRole('button', { name: 'Close' }).last().click()
  await expect(banner(page)).toContainText(`Your interest rate does not change on ${formatDay(own.effectiveOn, 'en')} after all`)
  await expect(banner(page).getByRole('button')).toHaveCount(0)
})

test('the reset of another borrower does not exist', async ({ page, portal, enter, browserErrors }) => {
  browserErrors.expectConsole(refused(404, '/choice'))
  const [own, other] = [await newFloatingBorrower(portal), await newFloatingBorrower(portal)]
  const { id } = await readReset(portal, other)
  await enter(own.phone)
  await page.route('**/portal/rate-resets/*/choice', (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/rate-resets\/[^/]+/, `rate-resets/${id}`),
    }),
  )
  await openComparison(page)
  await choose(page, 'Keep the EMI')
  await expect(page.getByRole('dialog', { name: 'Nothing to choose' })).toContainText('This change of the rate does not exist.')
  expect((await readReset(portal, other)).choice).toBeNull()
})
