import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { pdf } from '#server/documents/files.testing.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startPayment } from './people.ts'
import { codeFor, expect, refused, test } from './portal.ts'
import { waitingPath } from './payments-tab.ts'

/**
 * Every rule of WCAG and axe's best practices; none is left out. Of an open menu only itself is looked at: it hangs at
 * the end of the document, outside every landmark, and the page under it was looked at before.
 */
async function expectAccessible(page: Page, popup?: string): Promise<void> {
  // What still moves has colours half way.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)))
  const axe = new AxeBuilder({ page })
  const { violations } = await (popup === undefined ? axe : axe.include(popup)).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([])
}

for (const { language, theme, viewport } of [
  { language: 'en', theme: 'light', viewport: { width: 1280, height: 800 } },
  { language: 'hi', theme: 'dark', viewport: { width: 360, height: 740 } },
])
  test.describe(`${language}, ${theme}, ${viewport.width} wide`, () => {
    test.use({ viewport, contextOptions: { reducedMotion: 'reduce' } })
    test.beforeEach(async ({ context }) => {
      await context.addInitScript(
        (look) => {
          // An empty page has no storage.
          if (!location.protocol.startsWith('http')) return
          localStorage.setItem('language', look.language)
          localStorage.setItem('theme', look.theme)
        },
        { language, theme },
      )
    })

    test('the login, in both steps and with its errors', async ({ page, portal, borrower, complaints }) => {
      complaints.expectConsole(refused(400, '/auth/verify'))
      const { phone } = await borrower()
      await page.goto('/login')
      await expect(page.locator('html')).toHaveAttribute('lang', language)
      await expectAccessible(page)
      const send = page.getByRole('button', { name: /Send code|कोड/ })
      await send.click()
      await expect(page.getByRole('alert').first()).not.toBeEmpty()
      await expectAccessible(page)
      await page.locator('#phone').fill(phone.slice(3))
      const before = portal.outbox().length
      await send.click()
      await expect(page.getByRole('textbox').first()).toBeFocused()
      await expectAccessible(page)
      const code = await codeFor(portal, phone, before)
      await page.keyboard.type(code === '000000' ? '111111' : '000000')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('alert').first()).not.toBeEmpty()
      await expectAccessible(page)
    })

    test('the loan page with all its tabs', async ({ page, enter }) => {
      for (const path of ['/active-loans', '/active-loans/payments', '/active-loans/documents']) {
        await enter(demoPhone(2), path)
        await expect(page.getByRole('combobox')).toBeVisible()
        await page.waitForLoadState('networkidle')
        await expectAccessible(page)
      }
      await page.getByRole('combobox').click()
      await expect(page.getByRole('option')).toHaveCount(2)
      await expectAccessible(page, '[role=listbox]')
    })

    test('the countdown, what is pending and its question', async ({ page, enter, borrower }) => {
      await page.clock.install()
      await enter((await borrower()).phone, '/active-loans/payments')
      const pay = page.locator('.bottom-bar').getByRole('button')
      await expect(pay).not.toHaveAttribute('aria-disabled')
      await pay.click()
      await expect(page.getByRole('timer')).toBeVisible()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      const pending = page
        .getByRole('region')
        .filter({ hasText: /plink_/ })
        .first()
      await expect(pending).toBeVisible()
      await expectAccessible(page)
      await pending.getByRole('button').first().click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessible(page)
    })

    test('the amount of a part payment', async ({ page, enter, borrower }) => {
      await enter((await borrower()).phone, '/active-loans/payments')
      await page.locator('input[value=part_payment]').check()
      await page.locator('.bottom-bar').getByRole('button').click()
      await page.getByRole('dialog').getByRole('textbox').fill('1')
      await expectAccessible(page)
    })

    test('asking for a disbursal, its calendar, an upload, a document and the notices', async ({ page, enter, borrower }) => {
      await enter((await borrower({ rupees: 120_000, sanctionedRupees: 200_000 })).phone)
      const disbursals = page.getByRole('region').filter({ has: page.locator('#disbursals') })
      await disbursals.getByRole('button').first().click()
      await page.locator('#tranche-amount').fill('90000')
      await expectAccessible(page)
      await page.locator('#tranche-date').click()
      await expect(page.getByRole('cell')).toHaveCount(42)
      await expectAccessible(page, '[role=dialog]:has(table)')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.goto('/active-loans/documents')
      const documents = page.getByRole('region').filter({ has: page.locator('#documents') })
      await documents.getByRole('button').first().click()
      const file = page.getByRole('dialog').locator('input[type=file]').first()
      await file.setInputFiles({ name: 'empty.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) })
      await expectAccessible(page)
      await file.setInputFiles({ name: 'marks.pdf', mimeType: 'application/pdf', buffer: pdf() })
      await page.getByRole('dialog').getByRole('radio').first().check({ force: true })
      await page.getByRole('dialog').locator('button[type=submit]').click()
      await expect(documents.getByRole('listitem')).toHaveCount(1)
      await expectAccessible(page)
      await documents.getByRole('listitem').getByRole('button').click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Show the pages|पृष्ठ दिखाएँ/ })
        .click()
      await expect(page.getByRole('dialog').getByRole('img')).toBeVisible()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await page
        .getByRole('banner')
        .getByRole('button', { name: /Notices|सूचनाएँ/ })
        .click()
      await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(1)
      await expectAccessible(page, '[role=dialog]')
    })

    test('the waiting page and its result', async ({ page, portal, enter, borrower }) => {
      const own = await borrower()
      const linkId = await startPayment(portal, own)
      await enter(own.phone, waitingPath(linkId))
      await expect(page.getByText(linkId)).toBeVisible()
      await expectAccessible(page)
      await portal.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'success' })
      await expect(page.getByRole('img')).toHaveCount(2)
      await expectAccessible(page)
    })

    test('the other pages, the menu and the dialogs of the shell', async ({ page, enter, portal, complaints }) => {
      complaints.tolerateConsole(refused(401, '/'))
      for (const path of ['/user-profile', '/faqs', '/customer-support', '/ongoing-application', '/no-such-page']) {
        await enter(demoPhone(5), path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectAccessible(page)
      }
      await enter(demoPhone(6))
      await expect(page.getByRole('heading', { level: 2 })).toBeVisible()
      await expectAccessible(page)
      await page.getByRole('banner').getByRole('button').last().click()
      await expect(page.getByRole('menuitem').last()).toBeVisible()
      await expectAccessible(page, '[role=menu]')
      await page.getByRole('menuitem').last().click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await portal.post('/auth/logout', {}, (await page.evaluate(() => localStorage.getItem('token'))) ?? '')
      await page.reload()
      await expect(page.getByRole('alertdialog')).toBeVisible()
      await expectAccessible(page)
    })

    test('a failure', async ({ page, enter, borrower, complaints }) => {
      complaints.expectConsole(refused(500, '/portal/loans-summary'))
      await page.route('**/portal/loans-summary', (route) => route.fulfill({ status: 500, body: '' }))
      await enter((await borrower()).phone)
      await expect(page.getByRole('alert').getByRole('button')).toBeVisible()
      await expectAccessible(page)
    })
  })
