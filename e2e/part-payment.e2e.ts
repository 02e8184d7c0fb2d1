import type { Page } from '@playwright/test'
import { countdown, option, optionCard, payButton, pending } from './payments-tab.ts'
import { startPayment } from './people.ts'
import { expect, refused, signInAfterSessionEnd, test } from './portal.ts'
import { countPresses } from './presses.ts'

const tab = '/active-loans/payments'
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Part payment' })
const amount = (page: Page) => dialog(page).getByLabel('Amount')
const saved = (page: Page) => dialog(page).getByRole('term').filter({ hasText: 'Interest saved' }).locator('xpath=following-sibling::dd')

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true })

  test('two presses from the loan page to what a part payment of ₹50,000 changes, both ways side by side', async ({
    page,
    enter,
    borrower,
  }) => {
    await enter((await borrower()).phone)
    const presses = await countPresses(page)
    await page.getByRole('link', { name: 'What if I pay more?' }).click()
    await expect(amount(page)).toBeFocused()
    await dialog(page).getByRole('button', { name: '₹50,000', exact: true }).click()
    await expect(dialog(page).getByRole('button', { name: '₹50,000', exact: true })).toHaveAttribute('aria-pressed', 'true')
    await expect(dialog(page).getByText('For a part payment of ₹50,000')).toBeVisible()
    await expect(
      dialog(page)
        .getByRole('term')
        .filter({ hasText: /^EMI from \d\d \w{3} \d{4}$/ }),
    ).toHaveCount(1)
    await expect(dialog(page).getByText(/^Your instalment of \d\d \w{3} \d{4}, ₹[\d,.]+, stays due\.$/)).toBeVisible()
    await expect(dialog(page).getByRole('button', { name: 'As much as 1 EMI' })).toBeVisible()
    expect(presses()).toBe(2)
    // The address no longer asks: Back and a reload do not open the dialog again.
    await expect(page).toHaveURL(/\/active-loans\/payments$/)
    await expect(saved(page)).toHaveText([/^₹[\d,]+/, /^₹[\d,]+/])
    await expect(dialog(page).getByRole('status')).toHaveText(/^Interest saved with ₹50,000: ₹[\d,]+/)
    // A screen reader reads the figures of a choice with it.
    await expect(dialog(page).getByRole('radio', { name: 'Reduce EMI' })).toHaveAccessibleDescription(
      /^Pay less each month, same end date Interest saved ₹[\d,]+.* Last EMI \d\d \w{3} \d{4}$/,
    )
    const [first, second] = [await saved(page).first().boundingBox(), await saved(page).last().boundingBox()]
    expect(first?.y).toBe(second?.y)
    await expect(saved(page).first()).toBeInViewport()
    await expect(saved(page).last()).toBeInViewport()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })

  test('one press from the loan page to how the EMI is computed', async ({ page, enter, borrower }) => {
    await enter((await borrower()).phone)
    const presses = await countPresses(page)
    await page.getByRole('button', { name: 'How is this computed? EMI' }).click()
    await expect(page.getByText(/^The EMI of ₹[\d,]+ repays ₹/)).toBeVisible()
    expect(presses()).toBe(1)
  })
})

test('left by Back, the dialog stays closed when the tab is opened again', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone)
  await page.getByRole('link', { name: 'What if I pay more?' }).click()
  await amount(page).fill('40300.50')
  await page.goBack()
  await expect(dialog(page)).toBeHidden()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await expect(optionCard(page, 'Part payment')).toBeVisible()
  await expect(dialog(page)).toBeHidden()
})

test('the amount and the choice survive a failure of the provider and a reload of the tab', async ({
  page,
  enter,
  portal,
  borrower,
  browserErrors,
}) => {
  browserErrors.expectConsole(refused(503, '/portal/payment-link'))
  await enter((await borrower()).phone, tab)
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  await amount(page).fill('40300.50')
  const tenor = dialog(page).getByRole('radio', { name: 'Reduce Tenor' })
  await tenor.check({ force: true })
  await portal.sandbox('/faults', { call: 'create', kind: 'reset', times: 1 })
  const go = dialog(page).getByRole('button', { name: 'Continue with ₹40,300.50' })
  await go.click()
  await expect(dialog(page).getByText('Failed to create payment. Please try again.')).toBeVisible()
  await expect(amount(page)).toHaveValue('40,300.50')
  await expect(tenor).toBeChecked()

  await page.reload()
  await expect(amount(page)).toHaveValue('40,300.50')
  await expect(tenor).toBeChecked()
  await go.click()
  await expect(countdown(page)).toContainText('Part payment, reduces tenor')
  await expect(countdown(page)).toContainText('₹40,300.50')
  await expect(countdown(page).getByRole('button', { name: 'Redirect now' })).toBeFocused()
  await countdown(page).getByRole('button', { name: 'Cancel' }).click()
  await pending(page).getByRole('button', { name: 'Cancel payment' }).click()
  await page.getByRole('button', { name: 'Yes, cancel payment' }).click()
  await expect(page.getByText('The payment of ₹40,300.50 is cancelled. Its link no longer works.')).toBeVisible()
  await page.reload()
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await expect(dialog(page)).toHaveCount(0)
})

test('the amount and the choice survive the end of the session', async ({ page, enter, portal, borrower, browserErrors }) => {
  browserErrors.tolerateConsole(refused(401, '/'))
  const { phone } = await borrower()
  await enter(phone, tab)
  await optionCard(page, 'Part payment').click()
  await payButton(page).click()
  await amount(page).fill('40300.50')
  const go = dialog(page).getByRole('button', { name: 'Continue with ₹40,300.50' })
  await signInAfterSessionEnd(page, portal, phone, () => go.click())
  await expect(amount(page)).toHaveValue('40,300.50')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await expect(payButton(page)).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
})

test('what cannot be paid is a line after what can, and a pending payment folds all options to lines', async ({
  page,
  portal,
  enter,
  borrower,
}) => {
  const own = await borrower()
  await enter(own.phone, tab)
  await expect(option(page, 'Overdue amount')).toBeDisabled()
  const kinds = () => page.locator('input[name=payment-option]').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
  await expect.poll(kinds).toEqual(['next_emi', 'part_payment', 'foreclosure', 'overdue'])
  const heights = () => page.locator('label:has(input[name=payment-option])').evaluateAll((all) => all.map((one) => one.clientHeight))
  expect((await heights()).at(-1)).toBeLessThan(32)

  await startPayment(portal, own)
  await page.reload()
  await expect(pending(page)).toBeVisible()
  await expect.poll(kinds).toEqual(['overdue', 'next_emi', 'part_payment', 'foreclosure'])
  for (const radio of await page.locator('input[name=payment-option]').all()) await expect(radio).toBeDisabled()
  for (const height of await heights()) expect(height).toBeLessThan(32)
})

test('the effect of an amount that could not be loaded is loaded again', async ({ page, enter, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(500, '/portal/part-payment'))
  await page.route('**/portal/part-payment*', (route) => route.fulfill({ status: 500, body: '' }))
  await enter((await borrower()).phone)
  await page.getByRole('link', { name: 'What if I pay more?' }).click()
  await expect(dialog(page).getByText('The effect could not be loaded')).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const held = Promise.withResolvers<void>()
  await page.route('**/portal/part-payment*', async (route) => {
    await held.promise
    await route.continue()
  })
  const retry = dialog(page).getByRole('button', { name: 'Try again' })
  await retry.click()
  await expect(retry).toHaveAttribute('aria-busy', 'true')
  await expect(retry).toBeFocused()
  held.resolve()
  await expect(saved(page)).toHaveText([/^₹[\d,]+/, /^₹[\d,]+/])
})
