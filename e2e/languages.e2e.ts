import type { Page } from '@playwright/test'
import { expect, openLogin, test } from './portal.ts'
import { newStaff } from './staff.ts'

const stored = (page: Page) => page.evaluate(() => localStorage.getItem('language'))
const language = (page: Page) => page.locator('html')

test('the later choice wins, however late the words of the first one come', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone)
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/assets\/words-hi-/, async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await page.getByRole('button', { name: 'English' }).click()
  await expect(page.getByRole('button', { name: 'हिन्दी' })).toBeVisible()
  const late = page.waitForResponse(/\/assets\/words-hi-/)
  release()
  // When the page has run the late file.
  await page.evaluate(async (url) => void (await import(url)), (await late).url())
  await expect(language(page)).toHaveAttribute('lang', 'en')
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
  expect(await stored(page)).toBe('en')
})

test('counts are grouped as in India, in both languages', async ({ page, portal, enter }) => {
  await page.route('**/auth/users/all*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), total_items: 1_234_567, total_pages: 123_457 } })
  })
  await enter(await newStaff(portal), '/users')
  await expect(page.getByRole('status').filter({ hasText: '12,34,567 borrowers' })).toBeVisible()
  await expect(page.getByText('Showing 1 to 10 of 12,34,567 Entries')).toBeVisible()
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(page.getByRole('status').filter({ hasText: '12,34,567 उधारकर्ता' })).toBeVisible()
  await expect(page.getByText('12,34,567 प्रविष्टियों में से 1–10')).toBeVisible()
})

test('texts that cannot be loaded are reported, nothing is stored and nothing typed is lost', async ({ page, browserErrors }) => {
  browserErrors.expectConsole(/net::ERR_FAILED/)
  await openLogin(page)
  await page.getByLabel('Mobile number').fill('98765')
  await page.route(/\/assets\/words-hi-/, (route) => route.abort())
  await page.getByRole('button', { name: 'हिन्दी' }).filter({ visible: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'The language could not be changed.' })).toBeVisible()
  await expect(language(page)).toHaveAttribute('lang', 'en')
  expect(await stored(page)).toBeNull()
  await expect(page.getByLabel('Mobile number')).toHaveValue('98765')
  await page.unroute(/\/assets\/words-hi-/)
  // As the message says: this browser requests a failed import again only on a new page.
  await openLogin(page)
  await page.getByRole('button', { name: 'हिन्दी' }).filter({ visible: true }).click()
  await expect(language(page)).toHaveAttribute('lang', 'hi')
  expect(await stored(page)).toBe('hi')
})

test('the provider’s page opens in the language of the portal', async ({ page, enter, borrower }) => {
  await enter((await borrower()).phone, '/active-loans/payments')
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await page.getByRole('button', { name: 'भुगतान करें' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'अभी जाएँ' }).click()
  await expect(page.getByText('टेस्ट मोड: असली राशि नहीं कटती')).toBeVisible()
  await expect(language(page)).toHaveAttribute('lang', 'hi')
})
