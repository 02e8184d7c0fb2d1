import { expect, type Locator, type Page } from '@playwright/test'

/** The payments tab and the hosted page, by what a person sees. */

export const payButton = (page: Page): Locator => page.getByRole('button', { name: 'Make payment' })
export const countdown = (page: Page): Locator => page.getByRole('dialog', { name: 'Taking you to the payment page' })
export const pending = (page: Page): Locator => page.getByRole('region', { name: 'A payment is pending' })
export const option = (page: Page, name: string): Locator => page.getByRole('radio', { name: new RegExp(`^${name}`) })
/** The card around the radio button, which is the touch target. */
export const optionCard = (page: Page, name: string): Locator => page.getByText(name, { exact: true }).and(page.locator('label span'))
export const waiting = (page: Page): Locator => page.getByRole('dialog')
/** The rows of completed payments, in the table or on a phone. */
export const completed = (page: Page): Locator =>
  page.locator('section:has(> div > div > #completed-payments)').locator('tbody > tr:not([id]), ul[aria-label] > li:has(button)')
/** Opens what happened to a completed payment. */
export const openTrail = (row: Locator): Promise<void> => row.getByRole('button', { name: /^What happened/ }).click()

const schedule = (page: Page) => page.getByRole('region', { name: 'Repayment schedule', exact: true })
export const filter = (page: Page, name: string): Locator => schedule(page).getByRole('button', { name: new RegExp(`^${name}`) })
export const scheduleRow = (page: Page, number: number): Locator => schedule(page).getByRole('row').nth(number)

export const messages = {
  success: 'Payment successful! Your loan balance has been updated.',
  syncing: 'Payment processed successfully! We are now syncing your loan balance.',
  expired: 'Payment link has expired. Please try again with a new payment link.',
  cancelled: 'Payment was cancelled. Please initiate a new payment.',
  success_no_rps: "Payment received but we're facing delays updating your loan balance. It will reflect shortly.",
  timeout: "We're experiencing issues syncing your payment. Please check your dashboard.",
}

/** Presses the button and skips the countdown. */
export async function goToHostedPage(page: Page, button = payButton(page)): Promise<void> {
  await button.click()
  await countdown(page).getByRole('button', { name: 'Redirect now' }).click()
  await expect(hostedPay(page)).toBeVisible()
}

export const hostedPay = (page: Page): Locator => page.getByRole('button', { name: /^Pay ₹/ })

/** Pays on the provider's page and returns without waiting for its redirect. */
export async function payOnHostedPage(page: Page, upiId?: string): Promise<void> {
  if (upiId !== undefined) await page.getByLabel('UPI ID').fill(upiId)
  await hostedPay(page).click()
  await page.getByRole('link', { name: 'Return to merchant now' }).click()
  await expect(page).toHaveURL(/\/payments\/waiting-for-payment\?/)
}

/** From the result on the waiting page back to the payments tab. */
export async function goToPayments(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Go to payments' }).click()
  await expect(page).toHaveURL(/\/active-loans\/payments$/)
}

/** A figure of the summary or of a row in paise. */
export function paiseIn(text: string | null): bigint {
  const figure = /₹([\d,]+)(?:\.(\d{2}))?/.exec(text ?? '')
  if (!figure) throw new Error(`There is no amount in ${String(text)}`)
  return BigInt(`${(figure[1] ?? '').replaceAll(',', '')}${figure[2] ?? '00'}`)
}

/** The URL of the waiting page for a link. */
export const waitingPath = (linkId: string): string => `/payments/waiting-for-payment?razorpay_payment_link_id=${linkId}`
