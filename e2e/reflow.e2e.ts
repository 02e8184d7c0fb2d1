import type { Locator, Page } from '@playwright/test'
import { addPerson } from '#testkit/builders.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { countdown, optionCard, payButton, waitingPath } from './payments-tab.ts'
import { newPhone, startPayment } from './people.ts'
import { expect, refused, test } from './portal.ts'
import { assumeBorrower, newNamesakes, newStaff, pill } from './staff.ts'

/** 1280 px at 400 %, the narrowest screen of WCAG 1.4.10. */
const narrowest = { width: 320, height: 640 }

const pages = [
  '/active-loans',
  '/active-loans/payments',
  '/active-loans/documents',
  '/user-profile',
  '/faqs',
  '/customer-support',
  '/ongoing-application',
]

async function expectToFit(page: Page, what: string): Promise<void> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  const wide = await page.evaluate((width) => {
    if (document.documentElement.scrollWidth <= width) return []
    // The overflowing elements, for the message.
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1 && element.closest('[role=region], nav') === null)
      .slice(0, 5)
      .map((element) => element.outerHTML.slice(0, 120))
  }, narrowest.width)
  expect(wide, what).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(narrowest.width)
}

test.describe('at 400 %', () => {
  test.use({ viewport: narrowest, hasTouch: true })

  test('every page fits without scrolling sideways', async ({ page, portal, enter, borrower }) => {
    test.slow()
    await page.goto('/login')
    await expectToFit(page, '/login')
    await enter(demoPhone(2))
    for (const path of [...pages, '/no-such-page']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectToFit(page, path)
    }
    const own = await borrower()
    await enter(own.phone, waitingPath(await startPayment(portal, own)))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectToFit(page, 'waiting')
    // A borrower whose names are one long word each.
    await addPerson(portal.database, portal.clock.now(), {
      phone: newPhone(),
      firstName: 'Venkatanarasimharajuvaripetaramaswamyxyz',
      lastName: 'Thiruvananthapuramsubramaniamiyerchettia',
    })
    for (const path of ['/users', '/users?search=Venkatanarasimharaju']) {
      await enter(await newStaff(portal), path)
      await expect(page.getByRole('listitem').first()).toBeVisible()
      await expectToFit(page, path)
    }
  })

  test('the dialogs of a payment fit, and their buttons are in reach', async ({ page, enter, borrower }) => {
    await enter((await borrower()).phone, '/active-loans/payments')
    await optionCard(page, 'Part payment').click()
    await payButton(page).click()
    const dialog = page.getByRole('dialog', { name: 'Part payment' })
    await expect(dialog.getByRole('img')).toBeVisible()
    await expectToFit(page, 'part payment')
    await expect(dialog.getByRole('button', { name: /^Continue with/ })).toBeInViewport()
    await dialog.getByRole('button', { name: /^Continue with/ }).click()
    await expect(countdown(page)).toBeVisible()
    await expectToFit(page, 'countdown')
    await expect(countdown(page).getByRole('button', { name: 'Cancel' })).toBeInViewport()
  })
})

for (const viewport of [
  { width: 640, height: 400 },
  { width: 320, height: 256 },
])
  test.describe(`${viewport.width} × ${viewport.height}, a zoomed laptop`, () => {
    test.use({ viewport })

    test('the check of a document, the period of a document and a code are in reach', async ({ page, enter, borrower, browserErrors }) => {
      browserErrors.expectConsole(refused(404, '/documents/verify'))
      const fits = () => page.evaluate(() => document.documentElement.scrollWidth)
      await page.goto('/verify-document?code=0000-0000-0000-0000')
      await expect(page.getByText('No document has this code')).toBeVisible()
      expect(await fits()).toBeLessThanOrEqual(viewport.width)
      const { phone } = await borrower()
      await enter(phone, '/active-loans/documents')
      await page.getByRole('button', { name: /Statement of account/ }).click()
      const sheet = page.getByRole('dialog', { name: 'Statement of account' })
      await sheet.getByText('Choose dates', { exact: true }).click()
      for (const name of ['From', 'To', 'Download']) {
        const button = sheet.getByRole('button', { name })
        await button.scrollIntoViewIfNeeded()
        await expect(button).toBeInViewport({ ratio: 0.9 })
      }
      expect(await fits()).toBeLessThanOrEqual(viewport.width)
      await page.evaluate(() => localStorage.clear())
      await page.goto('/login')
      await page.getByLabel('Mobile number').fill(phone.slice(3))
      await page.getByRole('button', { name: 'Send OTP' }).click()
      await expect(page.getByText(/^OTP sent at/)).toBeVisible()
      expect(await fits()).toBeLessThanOrEqual(viewport.width)
    })
  })

/**
 * Controls smaller than 44 px, with their text. Links within sentences are as large as their words.
 */
const smallTargets = () =>
  [...document.querySelectorAll<HTMLElement>('button, a[href], input:enabled, [role=menuitem], summary, [role=combobox]')]
    .filter((element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !element.closest('.sr-only'))
    .map((element) =>
      element.matches('input[type=radio], input[type=checkbox], input[type=file]') ? (element.closest('label') ?? element) : element,
    )
    .filter((element) => getComputedStyle(element).display !== 'inline')
    .map((element) => {
      const box = element.getBoundingClientRect()
      const after = getComputedStyle(element, '::after')
      const grown = after.position === 'absolute' && after.content !== 'none' && after.content !== 'normal'
      const more = (side: 'top' | 'bottom' | 'left' | 'right') => (grown ? Math.max(0, -Number.parseFloat(after[side]) || 0) : 0)
      return {
        text: `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)}`,
        width: box.width + more('left') + more('right'),
        height: box.height + more('top') + more('bottom'),
        top: box.top,
      }
    })
    .filter(({ width, height }) => width > 1 && (width < 43.5 || height < 43.5))
    .map(({ text, width, height }) => `${text}: ${Math.round(width)} × ${Math.round(height)}`)

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true })

  test('everything that can be pressed is 44 px tall and wide', async ({ page, portal, enter, borrower }) => {
    await page.goto('/login')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await page.evaluate(smallTargets), '/login').toEqual([])
    await enter((await borrower()).phone)
    for (const path of pages) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      expect(await page.evaluate(smallTargets), path).toEqual([])
    }
    // E-mail addresses break between their parts only, and the footer's contacts share a line.
    await page.goto('/customer-support')
    const lines = (link: Locator) => link.evaluate((one) => [...one.getClientRects()].map(({ width }) => Math.round(width)))
    const footer = page.getByRole('contentinfo')
    const mail = footer.getByRole('link', { name: /@/ })
    expect(await lines(mail)).toHaveLength(1)
    const [phoneBox, mailBox] = [await footer.getByRole('link', { name: /^1800/ }).boundingBox(), await mail.boundingBox()]
    expect(Math.abs((phoneBox?.y ?? 0) + (phoneBox?.height ?? 0) / 2 - (mailBox?.y ?? 0) - (mailBox?.height ?? 0) / 2)).toBeLessThan(4)
    for (const link of await page.getByRole('main').getByRole('link', { name: /@/ }).all())
      expect(
        await link.evaluate((one) =>
          [...one.childNodes].every((part) => {
            const range = document.createRange()
            range.selectNode(part)
            return range.getClientRects().length <= 1
          }),
        ),
      ).toBe(true)
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await expect(page.getByRole('menuitem').first()).toBeVisible()
    expect(await page.evaluate(smallTargets), 'menu').toEqual([])
    // The list of borrowers with the buttons of its other pages.
    await newNamesakes(portal, 'Fingerwala', 23)
    await enter(await newStaff(portal), '/users?search=Fingerwala&page=2')
    await expect(page.getByRole('button', { name: 'Page 3' })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    expect(await page.evaluate(smallTargets), '/users').toEqual([])
  })
})

test.describe('on an upright tablet', () => {
  test.use({ viewport: { width: 768, height: 1024 } })

  test('whose account is open is on one line, and no table is cut off', async ({ page, portal, enter, borrower }) => {
    await enter(await newStaff(portal), '/users')
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth)
    /** A table, which has nothing beyond its right edge. */
    const expectTable = async (name: string) => {
      const region = page.getByRole('region', { name, exact: true })
      await expect(region.getByRole('columnheader').first()).toBeVisible()
      expect(await region.evaluate((one) => one.scrollWidth - one.clientWidth), name).toBeLessThanOrEqual(0)
    }
    await expect(
      page
        .getByRole('row')
        .getByRole('button', { name: /^Assume/ })
        .first(),
    ).toBeInViewport({ ratio: 1 })
    expect(await fits(), '/users').toBeLessThanOrEqual(768)
    await expectTable('Borrowers')
    await page.getByRole('button', { name: 'हिन्दी' }).click()
    await expectTable('उधारकर्ता')
    await page.getByRole('button', { name: 'English' }).click()
    await assumeBorrower(page, (await borrower()).phone)
    expect((await pill(page).boundingBox())?.height).toBeLessThan(60)
    for (const [path, table] of [
      ['/active-loans', 'Disbursals of this loan'],
      ['/active-loans/payments', 'Schedule table'],
    ] as const) {
      await page.goto(path)
      await expect(pill(page)).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      expect(await fits(), path).toBeLessThanOrEqual(768)
      await expectTable(table)
    }
    // The largest possible amounts, in the longer language.
    await page.evaluate(() => localStorage.setItem('language', 'hi'))
    await enter(demoPhone(11), '/active-loans/payments')
    await expectTable('भुगतान सारणी की तालिका')
  })
})

test.describe('in forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } })

  test('what is chosen, and how far along the loan is, can still be seen', async ({ page, enter }) => {
    await enter(demoPhone(1), '/active-loans')
    await expect(page.getByRole('img', { name: /instalments paid/ })).toBeVisible()
    const colour = (selector: string, property: string, pseudo?: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, [name = '', part]) => getComputedStyle(element, part).getPropertyValue(name), [property, pseudo])
    const current = 'main nav [aria-current=page]'
    expect(await colour(current, 'border-bottom-color')).not.toBe(await colour('main nav a:not([aria-current])', 'border-bottom-color'))
    expect(await colour('[data-bars=paid]', 'fill')).not.toBe(await colour('main section', 'background-color'))
    await page.getByRole('link', { name: 'Payments', exact: true }).click()
    const chosen = page.getByRole('radio', { checked: true })
    await expect(chosen).toBeVisible()
    expect(await chosen.evaluate((radio) => getComputedStyle(radio).appearance)).toBe('auto')
  })
})

test('print: the schedule with all its rows and the payments, without anything to press', async ({ page, enter }) => {
  await enter(demoPhone(1), '/active-loans/payments')
  await expect(page.getByText(/^Showing \d+ to \d+ of 84 Entries$/)).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText('Showing 1 to 84 of 84 Entries')).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expect(page.getByRole('banner')).toHaveCount(0)
  await expect(page.getByRole('contentinfo')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Make a payment' })).toBeHidden()
  for (const text of ['B.Tech, 2024 to 2028', 'KST-24-004173']) await expect(page.getByText(text, { exact: true })).toBeVisible()
  for (const name of ['Schedule table', 'List of completed payments']) {
    const region = page.getByRole('region', { name })
    expect(await region.evaluate((one) => one.scrollHeight - one.clientHeight), name).toBeLessThanOrEqual(1)
  }
  await expect(page.getByRole('region', { name: 'Schedule table' }).getByRole('row')).toHaveCount(85)
  // Paper is narrower than the screen, and light.
  await page.setViewportSize({ width: 718, height: 1000 })
  await page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'))
  await expect(page.getByRole('region', { name: 'Schedule table' }).getByRole('row')).toHaveCount(85)
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--surface'))).toBe('#f2f5ef')
  expect(
    await page.evaluate(() =>
      [...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).map((one) => one.textContent),
    ),
  ).toEqual([])
})

test('print: which of several loans it is, and the documents that cannot be had', async ({ page, enter }) => {
  await enter(demoPhone(2), '/active-loans/documents')
  const refused = page.getByRole('region', { name: 'Get a document' }).getByRole('listitem').filter({ hasText: 'After the loan is closed' })
  await expect(refused).toBeVisible()
  const title = page.getByText(/^.+, KST-\d\d-\d{6}$/)
  await expect(title).toBeHidden()
  await page.emulateMedia({ media: 'print' })
  await expect(title).toBeVisible()
  await expect(refused).toContainText('After the loan is closed: Loan closure certificate', { useInnerText: true })
})

test('a page ends with its footer, however much scrolls within it', async ({ page, enter }) => {
  await enter(demoPhone(1), '/active-loans/payments')
  await expect(page.getByText(/^Showing \d+ to \d+ of 84 Entries$/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'List of completed payments' })).toBeVisible()
  const below = await page
    .getByRole('contentinfo')
    .evaluate((footer) => document.documentElement.scrollHeight - window.scrollY - footer.getBoundingClientRect().bottom)
  expect(below).toBeLessThanOrEqual(1)
})
