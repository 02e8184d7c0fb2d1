import type { Page } from '@playwright/test'
import { addNotice } from '#server/add-notice.ts'
import { pdf } from '#server/documents/files.testing.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectAccessible } from './accessible.ts'
import { startPayment } from './people.ts'
import { codeFor, expect, refused, test } from './portal.ts'
import { waitingPath } from './payments-tab.ts'
import { newStaff } from './staff.ts'

type Answer = { status?: number; json?: unknown; body?: string }
type OtherState = {
  path: string
  /** Calls that get this response, or none: the only way to some states. */
  answers?: Record<string, Answer | 'never'>
  /** What is visible when the state is reached. */
  ready: string
  more?: (page: Page) => Promise<void>
}
const failed: Answer = { status: 500, body: '' }
const waitingFor = (status: string, rps_updated = false) => ({
  path: waitingPath('plink_accessibility'),
  answers: { '/portal/payment-link/status': { json: { status, rps_updated } } },
})
const denied: Record<string, Answer> = { '/auth/permissions': { json: { permissions: [] } } }

/**
 * States that no test below reaches, a few per test: a busy machine takes a second or more for
 * each.
 */
const everyOtherState: Record<string, readonly OtherState[]> = {
  'loan details': [
    { path: '/active-loans', answers: { '/portal/loans-summary': 'never' }, ready: '.skeleton' },
    { path: '/active-loans', answers: { '/portal/loans-summary': failed }, ready: '[role=alert] button' },
    { path: '/active-loans', answers: { '/portal/loans-summary': { status: 403, body: '' } }, ready: '[role=alert] a' },
    {
      path: '/active-loans',
      answers: { '/portal/tranche-details': failed, '/portal/repayment-schedule': failed },
      ready: 'section[role=alert] button',
    },
    { path: '/active-loans', answers: denied, ready: '#disbursals' },
  ],
  payments: [
    { path: '/active-loans/payments', answers: { '/portal/repayment-schedule': failed }, ready: '[role=alert] button' },
    { path: '/active-loans/payments', answers: { '/portal/completed-payments': failed }, ready: '[role=alert] button' },
    { path: '/active-loans/payments', answers: denied, ready: '.bottom-bar [aria-disabled]' },
    {
      path: '/active-loans/payments',
      answers: { '/portal/payment-link': failed },
      ready: '.bottom-bar button:not([aria-disabled])',
      more: async (page) => {
        await page.locator('input[value=foreclosure]').check({ force: true })
        await page.locator('.bottom-bar').getByRole('button').click()
        await expect(page.locator('.bottom-bar [role=alert]')).toBeVisible()
        await expectAccessible(page)
      },
    },
    {
      path: '/active-loans/payments',
      ready: 'input[value=part_payment]',
      more: async (page) => {
        const chart = page.locator('section:has(#balance-over-time)')
        // Phones show the chart when asked.
        if (!(await chart.locator('summary').isVisible())) await chart.getByRole('button').first().click()
        await chart.locator('summary').click()
        await page.locator('input[value=part_payment]').check({ force: true })
        await page.locator('.bottom-bar').getByRole('button').click()
        await expect(page.getByRole('dialog').getByRole('img')).toBeVisible()
        await page.getByRole('dialog').locator('summary').click()
        await expectAccessible(page)
      },
    },
  ],
  'documents and pages': [
    { path: '/users', ready: '[role=alert] a' },
    { path: '/active-loans/documents', answers: { '/portal/documents': failed }, ready: '[role=alert] button' },
    { path: '/user-profile', answers: { '/auth/sessions': failed, '/portal/staff-access': failed }, ready: '[role=alert] button' },
    { path: '/ongoing-application', answers: { '/portal/ongoing-application': failed }, ready: '[role=alert] button' },
    {
      path: '/faqs',
      ready: 'main details',
      more: async (page) => (await page.locator('main summary').nth(1).click(), expectAccessible(page)),
    },
  ],
  'the waiting page': [
    { ...waitingFor('paid'), ready: 'li[aria-current=step]:nth-child(2)' },
    { ...waitingFor('expired'), ready: 'main:not(:has(ol)) button' },
    { ...waitingFor('cancelled'), ready: 'main:not(:has(ol)) button' },
    {
      ...waitingFor('created'),
      ready: 'li[aria-current=step]',
      more: async (page) => {
        await page.locator('main button').last().click()
        await expect(page.getByRole('dialog')).toHaveCount(2)
        await expectAccessible(page)
      },
    },
  ],
  'an applicant': [{ path: '/ongoing-application', ready: '#awaited' }],
  staff: [
    { path: '/users', ready: 'main li, main tbody tr' },
    { path: '/users', answers: { '/auth/users/all': 'never' }, ready: '.skeleton' },
    { path: '/users', answers: { '/auth/users/all': failed }, ready: '[role=alert] button' },
    { path: '/users?search=xyzzyquuxfoo', ready: 'main h2' },
  ],
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

    test('the login, in both steps and with its errors', async ({ page, portal, borrower, browserErrors }) => {
      browserErrors.expectConsole(refused(400, '/auth/verify'))
      const { phone } = await borrower()
      await page.goto('/login')
      await expect(page.locator('html')).toHaveAttribute('lang', language)
      await expectAccessible(page)
      const send = page.getByRole('button', { name: /Send OTP|OTP भेजें/ })
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
      await pending.getByRole('button').nth(1).click()
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

    test('asking for a disbursal, its calendar, an upload, a document and the notices', async ({ page, portal, enter, borrower }) => {
      const { phone, borrowerId, lan } = await borrower({ rupees: 120_000, sanctionedRupees: 200_000 })
      await enter(phone)
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
      // The check of the file can be shown while the kind is chosen.
      const kind = page.getByRole('dialog').getByRole('radio').first()
      await kind.press('Space')
      await expect(kind).toBeChecked()
      await page.getByRole('dialog').locator('button[type=submit]').click()
      await expect(documents.getByRole('listitem')).toHaveCount(1)
      await expectAccessible(page)
      await documents.getByRole('listitem').getByRole('button').click()
      await expect(page.getByRole('dialog').getByRole('img')).toBeVisible()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      // The period of a document, with dates of one's own.
      await page.getByRole('button', { name: /Statement of account|खाता विवरण/ }).click()
      await page.getByRole('dialog').getByRole('radio').last().check({ force: true })
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      const now = portal.clock.now()
      await portal.database.asSystem(async (sql) => {
        for (const kind of ['payment_reversed', 'new_device'] as const) await addNotice(sql, { borrowerId, about: kind, kind, lan }, now)
      })
      await page.reload()
      await page
        .getByRole('banner')
        .getByRole('button', { name: /Notices|सूचनाएँ/ })
        .click()
      await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(2)
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

    test('the other pages, the menu and the dialogs of the shell', async ({ page, enter, portal, browserErrors }) => {
      browserErrors.tolerateConsole(refused(401, '/'))
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

    for (const [who, states] of Object.entries(everyOtherState))
      test(`every other state: ${who}`, async ({ page, portal, enter, borrower, browserErrors }) => {
        // Up to eight states, each checked as a whole page.
        test.setTimeout(480_000)
        browserErrors.tolerateConsole(/status of \d+|net::ERR_/)
        await enter(who === 'staff' ? await newStaff(portal) : who === 'an applicant' ? demoPhone(3) : (await borrower()).phone)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        for (const { path, answers = {}, ready, more } of states) {
          for (const [call, answer] of Object.entries(answers))
            await page.route(`**/api/v1${call}*`, (route) => (answer === 'never' ? undefined : route.fulfill(answer)))
          await page.goto(path)
          await expect(page.locator(ready).first()).toBeVisible()
          await expectAccessible(page)
          await more?.(page)
          await page.unrouteAll({ behavior: 'ignoreErrors' })
        }
      })
  })
