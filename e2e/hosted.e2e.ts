import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { completed, goToHostedPage, goToPayments, hostedPay, messages } from './payments-tab.ts'
import { expect, refused, test } from './portal.ts'

/**
 * The provider's page as a customer uses it; its effect on the loan is tested with the payments
 * tab.
 */

const method = (page: Page, name: string) => page.getByRole('radio', { name, exact: true })
const returnNow = (page: Page) => page.getByRole('link', { name: 'Return to merchant now' })

/** Back at the portal, which shows the payment. */
async function returnAndSee(page: Page): Promise<void> {
  await returnNow(page).click()
  await expect(page.getByText(messages.success)).toBeVisible()
}

test('a card is paid with by keyboard alone', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await method(page, 'UPI').focus()
  await page.keyboard.press('ArrowDown')
  await expect(method(page, 'Card')).toBeChecked()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Card number')).toBeFocused()
  await page.keyboard.type('4100280000001007')
  await expect(page.getByLabel('Card number')).toHaveValue('4100 2800 0000 1007')
  await expect(page.getByRole('status').filter({ hasText: 'Visa' })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.type('12/49')
  await page.keyboard.press('Tab')
  await page.keyboard.type('123')
  await page.keyboard.press('Enter')
  await page.getByLabel('One-time password').focus()
  await page.keyboard.type('1234')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Payment successful' })).toBeVisible()
  await returnAndSee(page)
})

test('a payment that the bank refuses is made by another method', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await method(page, 'Netbanking').check()
  await page.getByLabel('Your bank').selectOption('State Bank of India')
  await hostedPay(page).click()
  await expect(page.getByRole('heading', { name: 'Test page of State Bank of India' })).toBeVisible()
  await page.getByRole('button', { name: 'Failure' }).click()
  await expect(page.getByRole('alert')).toContainText('No money was taken.')
  await expect(method(page, 'Netbanking')).toBeChecked()
  await method(page, 'Wallet').check()
  await page.getByLabel('Your wallet').selectOption('MobiKwik')
  await hostedPay(page).click()
  await page.getByRole('button', { name: 'Success' }).click()
  await expect(page.getByRole('heading', { name: 'Payment successful' })).toBeVisible()
  await returnAndSee(page)
})

test('a QR code approved on the phone takes the computer on', async ({ page, context, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await goToHostedPage(page)
  await page.getByText('Show a QR code').click()
  await expect(page.getByRole('img', { name: 'QR code of this payment' })).toBeVisible()
  const phone = await context.newPage()
  await phone.goto(`${page.url().split('?')[0]}/upi`)
  await phone.getByRole('button', { name: 'Approve' }).click()
  await expect(phone.getByRole('heading', { name: 'Payment successful' })).toBeVisible()
  await phone.close()
  await expect(page.getByRole('heading', { name: 'Payment successful' })).toBeVisible()
  await returnAndSee(page)
})

test('paying twice reaches the loan once', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await expect(completed(page).first()).toBeVisible()
  const before = await completed(page).count()
  await goToHostedPage(page)
  await page.getByText('More test outcomes').click()
  await page.getByRole('button', { name: 'Simulate paying twice' }).click()
  await expect(page.getByText(/was refunded to you at once/)).toBeVisible()
  await returnAndSee(page)
  await goToPayments(page)
  await expect(completed(page)).toHaveCount(before + 1)
})

for (const { language, viewport } of [
  { language: 'en', viewport: { width: 1280, height: 800 } },
  { language: 'hi', viewport: { width: 360, height: 740 } },
])
  test.describe(`${language}, ${viewport.width} wide`, () => {
    test.use({ viewport })

    test('every state is accessible, and nothing is wider than the screen', async ({ page, portal, enter, borrower, browserErrors }) => {
      browserErrors.expectConsole(refused(422, '/pay'))
      const expectFine = async (): Promise<void> => {
        await expect(page.locator('html')).toHaveAttribute('lang', language)
        await expectAccessible(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
      }
      await enter((await borrower()).phone, '/active-loans/payments')
      await goToHostedPage(page)
      const [hosted = ''] = page.url().split('?')
      await page.goto(`${hosted}?lang=${language}`)
      for (const name of ['upi', 'card', 'netbanking', 'wallet', 'bank_transfer']) {
        await page.locator(`#method-${name}`).check()
        await expectFine()
      }
      await page.locator('summary').last().click()
      await expectFine()
      await page.locator('#method-card').check()
      await page.locator('.pay button').click()
      await expect(page.getByRole('alert')).toBeVisible()
      await expectFine()
      await page.locator('#card_number').fill('4100280000080001')
      await page.locator('#card_expiry').fill('12/49')
      await page.locator('#card_cvv').fill('123')
      await page.locator('.pay button').click()
      await expect(page.locator('#otp')).toBeVisible()
      await expectFine()
      await page.locator('#otp').fill('1234')
      await page.locator('button[value=otp]').click()
      await expect(page.getByRole('alert')).toBeVisible()
      await expectFine()
      await page.goto(`${hosted}/upi?lang=${language}`)
      await expectFine()
      const { links } = (await portal.sandbox('/state')) as { links: { id: string; short_url: string }[] }
      const link = links.find(({ short_url }) => short_url === hosted)
      await portal.sandbox(`/links/${link?.id}/expire`, {})
      await page.goto(`${hosted}?lang=${language}`)
      await expectFine()
    })
  })
