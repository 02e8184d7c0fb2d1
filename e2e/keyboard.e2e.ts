import type { Locator, Page } from '@playwright/test'
import { codeFor, expect, test } from './portal.ts'
import { countdown, hostedPay, messages } from './payments-tab.ts'

/** The whole portal by keyboard alone: this file uses no pointer. */

const tabsMax = 80

/**
 * Presses Tab until the element has the focus; a focus trap or an unreachable control fails the
 * test.
 */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < tabsMax; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  await expect(target).toBeFocused()
}

test('logs in, pays, looks at a document, changes language and logs out, by keyboard alone', async ({ page, portal, borrower }) => {
  // Fifty presses of Tab, each checked for the focused element.
  test.slow()
  const { phone } = await borrower()
  await page.goto('/login')
  await tabTo(page, page.getByLabel('Mobile number'))
  const before = portal.outbox().length
  await page.keyboard.type(phone.slice(3))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: '6-digit OTP' })).toBeFocused()
  await page.keyboard.type(await codeFor(portal, phone, before))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Your loans', level: 1 })).toBeFocused()

  await tabTo(page, page.getByRole('link', { name: 'Payments', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('radio', { name: /^Next EMI/ }))
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('radio', { name: /^Part payment/ })).toBeChecked()
  await tabTo(page, page.getByRole('button', { name: 'Make payment' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Amount')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Make payment' })).toBeFocused()
  await tabTo(page, page.getByRole('radio', { name: /^Part payment/ }), 'Shift+Tab')
  await page.keyboard.press('ArrowUp')
  await tabTo(page, page.getByRole('button', { name: 'Make payment' }))
  await page.keyboard.press('Enter')
  await expect(countdown(page).getByRole('button', { name: 'Redirect now' })).toBeFocused()
  await page.keyboard.press('Enter')

  await expect(hostedPay(page)).toBeVisible()
  await tabTo(page, hostedPay(page))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('link', { name: 'Return to merchant now' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText(messages.success)).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Go to payments' }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/active-loans\/payments$/)

  // A row of the schedule opens, the table scrolls, and the filters work.
  await tabTo(page, page.getByRole('button', { name: /^Paid 4/ }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Showing 1 to 4 of 4 Entries')).toBeVisible()
  await tabTo(page, page.getByRole('link', { name: 'Documents', exact: true }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  const saved = page.waitForEvent('download')
  await tabTo(page, page.getByRole('button', { name: 'Download Repayment schedule' }))
  await page.keyboard.press('Enter')
  await saved
  await tabTo(page, page.getByRole('button', { name: 'Upload', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Upload a document' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toBeFocused()

  await tabTo(page, page.getByRole('button', { name: 'हिन्दी' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  await expect(page.getByRole('button', { name: 'English' })).toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: /^Account menu/ }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Stay signed in' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Sign out' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})
