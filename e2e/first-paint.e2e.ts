import type { Page } from '@playwright/test'
import { demoPhone } from '#testkit/demo-town.ts'
import { assumeBorrower, pill } from './staff.ts'
import { expect, test, watchOpenRequests } from './portal.ts'

/** Holds back all scripts of the portal. @returns a function that lets them come. */
async function holdScripts(page: Page): Promise<() => void> {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/assets/*.js', async (route) => {
    await released
    await route.continue()
  })
  return release
}

/** The reads of the page, in their order. */
function watchReads(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/') && request.method() === 'GET') asked.push(request.url().replace(/^.*\/api\/v1/, ''))
  })
  return asked
}

/** The sum of all layout shifts of the page. */
const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) sum += entry.value
        }).observe({ type: 'layout-shift', buffered: true })
        // Entries arrive after the frame that they are about.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
      }),
  )

const pages = [
  { path: '/active-loans', en: 'Your loans', hi: 'आपके लोन', loaded: 'Principal outstanding' },
  { path: '/active-loans/payments', en: 'Your loans', hi: 'आपके लोन', loaded: 'Repayment schedule' },
  { path: '/active-loans/documents', en: 'Your loans', hi: 'आपके लोन', loaded: 'Your documents' },
  { path: '/user-profile', en: 'Your profile', hi: 'आपकी प्रोफ़ाइल', loaded: 'Your details' },
  { path: '/faqs', en: 'FAQs', hi: 'अक्सर पूछे जाने वाले सवाल', loaded: 'Paying ahead' },
  { path: '/customer-support', en: 'Customer support', hi: 'ग्राहक सहायता', loaded: 'If you have a complaint' },
  { path: '/ongoing-application', en: 'Ongoing application', hi: 'चल रहा आवेदन', loaded: 'No application in progress' },
] as const

test.describe('before its scripts', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  for (const { path, en, hi, loaded } of pages)
    test(`${path} has its navigation and title, asks for its data, and nothing moves when the portal takes over`, async ({
      page,
      enter,
    }) => {
      const asked = watchReads(page)
      const release = await holdScripts(page)
      await enter(demoPhone(1), '/favicon.svg')
      await page.goto(path, { waitUntil: 'commit' })
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(en)
      await expect(page).toHaveTitle(`${en} - Kist`)
      await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible()
      await expect(page.getByRole('link', { name: 'FAQs' })).toHaveCount(1)
      // She has no application, and is not staff.
      await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Ongoing application' })).toHaveCount(0)
      await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Borrowers' })).toHaveCount(0)
      await expect.poll(() => asked).toContain('/auth/permissions')
      if (path.startsWith('/active-loans')) {
        const tab = page.getByRole('navigation', { name: 'Loan sections' }).locator('[aria-current=page]')
        await expect(tab).toHaveCount(1)
        await expect(tab).toHaveAttribute('href', path)
        await expect.poll(() => asked.some((url) => url.startsWith('/portal/ongoing-payment?application_id='))).toBe(true)
      }
      release()
      await expect(page.getByRole('heading', { name: loaded })).toBeVisible()
      await page.waitForLoadState('networkidle')
      expect(asked.filter((url, index) => asked.indexOf(url) !== index)).toEqual([])
      expect(await layoutShift(page)).toBeLessThanOrEqual(0.01)

      await page.evaluate(() => localStorage.setItem('language', 'hi'))
      const releaseHindi = await holdScripts(page)
      await page.goto(path, { waitUntil: 'commit' })
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(hi)
      await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
      releaseHindi()
    })

  test('a press on the menu or a tab is kept for the portal', async ({ page, enter }) => {
    const release = await holdScripts(page)
    await enter(demoPhone(1), '/favicon.svg')
    await page.goto('/active-loans', { waitUntil: 'commit' })
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await expect(page).toHaveURL(/\/active-loans$/)
    release()
    await expect(page.getByRole('heading', { name: 'Get a document' })).toBeVisible()
    await expect(page).toHaveURL(/\/documents$/)

    const releaseAgain = await holdScripts(page)
    await page.goto('/faqs', { waitUntil: 'commit' })
    await page.getByRole('button', { name: 'Menu' }).click()
    releaseAgain()
    await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  })

  test('the focus is kept for the portal', async ({ page, enter }) => {
    const release = await holdScripts(page)
    await enter(demoPhone(1), '/favicon.svg')
    await page.goto('/active-loans', { waitUntil: 'commit' })
    await page.getByRole('link', { name: 'Payments', exact: true }).focus()
    release()
    await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Payments', exact: true })).toBeFocused()
  })

  test('staff see their own navigation, and of a borrower’s page nothing', async ({ page, enter }) => {
    const asked = watchReads(page)
    const release = await holdScripts(page)
    await enter(demoPhone(9), '/favicon.svg')
    await page.goto('/users', { waitUntil: 'commit' })
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Borrowers')
    await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Borrowers' })).toBeVisible()
    await page.goto('/active-loans', { waitUntil: 'commit' })
    await expect(page.locator('#root')).toBeEmpty()
    release()
    await expect(page).toHaveURL(/\/users$/)
    // The list is requested after the address has changed.
    await expect(page.getByText(/^\d+ borrowers$/)).toBeVisible()

    asked.length = 0
    const releaseAgain = await holdScripts(page)
    await page.goto('/users', { waitUntil: 'commit' })
    await expect.poll(() => asked).toEqual(expect.arrayContaining(['/auth/permissions', '/auth/users/all?page=1&page_size=10']))
    releaseAgain()
    await expect(page.getByText(/^\d+ borrowers$/)).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect(asked.toSorted()).toEqual(['/auth/permissions', '/auth/users/all?page=1&page_size=10'])
  })

  const record = { person: 12, path: '/operations/loans/KST-24-004173', en: null, loaded: 'Ledger', first: '/operations/counts' }
  for (const { person, path, en, loaded, first } of [
    { person: 9, path: '/users', en: 'Borrowers', loaded: 'Borrowers', first: '/auth/users/all?page=1&page_size=10' },
    { person: 12, path: '/users', en: 'Borrowers', loaded: 'Borrowers', first: '/auth/users/all?page=1&page_size=10' },
    { person: 12, path: '/operations', en: 'Operations', loaded: 'Operations', first: '/operations/queue?state=proposed&page=1' },
    { person: 12, path: '/operations/loans', en: 'Operations', loaded: 'Operations', first: '/operations/loans?page=1' },
    { person: 12, path: '/operations/reviews', en: 'Operations', loaded: 'Operations', first: '/operations/reviews?state=open&page=1' },
    record,
  ])
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 800 },
    ])
      test(`${path} of staff ${person} has both navigations at ${viewport.width} px, and nothing moves when its list comes`, async ({
        page,
        enter,
      }) => {
        await page.setViewportSize(viewport)
        const asked = watchReads(page)
        const release = await holdScripts(page)
        await enter(demoPhone(person), '/favicon.svg')
        await page.goto(path, { waitUntil: 'commit' })
        if (en !== null) await expect(page.getByRole('heading', { level: 1 })).toHaveText(en)
        const navigation = page.getByRole('navigation', { name: 'Staff' })
        await expect(navigation.getByRole('link', { name: 'Borrowers' })).toBeVisible()
        // Operations comes with the permissions; its own pages have the link at once.
        await expect(navigation.getByRole('link', { name: 'Operations' })).toHaveCount(path.startsWith('/operations') ? 1 : 0)
        await expect.poll(() => asked).toEqual(expect.arrayContaining(['/auth/permissions', first]))
        release()
        await expect(page.getByRole('heading', { name: loaded, exact: true }).first()).toBeVisible()
        await expect(navigation.getByRole('link', { name: /^Operations/ })).toHaveCount(person === 12 ? 1 : 0)
        await page.waitForLoadState('networkidle')
        await expect(page.locator('.skeleton')).toHaveCount(0)
        expect(asked.filter((url, index) => asked.indexOf(url) !== index)).toEqual([])
        expect(await layoutShift(page)).toBeLessThanOrEqual(0.01)
      })

  test('nobody sees a page of a session that has ended, or of another person', async ({ page, enter, borrower }) => {
    const release = await holdScripts(page)
    await page.goto('/user-profile', { waitUntil: 'commit' })
    await expect(page.locator('#root')).toBeEmpty()
    // A loan page leads straight to the login, and shows nothing on the way.
    await page.goto('/active-loans', { waitUntil: 'commit' })
    await expect(page).toHaveURL(/\/login$/)
    await enter(demoPhone(1), '/favicon.svg')
    await page.evaluate(() => localStorage.setItem('tokenReceivedAt', '1'))
    await page.goto('/active-loans', { waitUntil: 'commit' })
    await expect(page.locator('#root')).toBeEmpty()
    release()
    await expect(page).toHaveURL(/\/login$/)

    const { phone } = await borrower()
    await enter(demoPhone(9), '/users')
    await assumeBorrower(page, phone)
    await expect(pill(page).first()).toBeVisible()
    const releaseAgain = await holdScripts(page)
    await page.goto('/active-loans', { waitUntil: 'commit' })
    await expect(page.locator('#root')).toBeEmpty()
    releaseAgain()
    await expect(pill(page).first()).toBeVisible()
  })
})

test('on a wide screen the sidebar and the person’s name are there before the scripts', async ({ page, enter }) => {
  const release = await holdScripts(page)
  await enter(demoPhone(1), '/favicon.svg')
  await page.goto('/active-loans', { waitUntil: 'commit' })
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Active loans' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  await expect(page.getByRole('button', { name: 'Account menu' })).toContainText('Ananya Deshpande')
  release()
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.01)
})

for (const { name: what, width, placeholders } of [
  { name: 'a phone shows the first screen of a tab before what is below it', width: 360, placeholders: [2, 1, 3] },
  { name: 'a wide screen shows a tab as a whole', width: 1280, placeholders: [0, 0, 0] },
])
  test(what, async ({ page, enter }) => {
    await page.setViewportSize({ width, height: 740 })
    const answered = watchOpenRequests(page)
    await enter(demoPhone(1), '/active-loans')
    const links = page.getByRole('navigation', { name: 'Loan sections' })
    const tabs = [
      { name: 'Payments', last: 'completed-payments' },
      { name: 'Documents', last: 'documents' },
      { name: 'Loan details', last: 'disbursals' },
    ]
    // The first time, their data is loaded.
    for (const { name, last } of tabs) {
      await links.getByRole('link', { name }).click()
      await expect(page.locator(`#${last}`)).toBeVisible()
      await expect(page.locator('.skeleton')).toHaveCount(0)
      await answered()
    }
    const shown: string[][] = []
    for (const { name, last } of tabs) {
      const added = await page.evaluateHandle(() => {
        const skeletons = new Map<Element, string>()
        new MutationObserver((changes) => {
          const elements = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element)
          for (const each of elements.flatMap((element) => [element, ...element.querySelectorAll('*')]))
            if (each.matches('.skeleton')) skeletons.set(each, `${each.closest('[id]')?.id}: ${each.className}`)
        }).observe(document.body, { childList: true, subtree: true })
        return skeletons
      })
      await links.getByRole('link', { name }).click()
      await expect(page.locator(`#${last}`)).toBeVisible()
      await expect(page.locator('.skeleton')).toHaveCount(0)
      shown.push(await added.evaluate((skeletons) => [...skeletons.values()]))
    }
    expect(shown, 'the placeholders of each tab').toEqual(placeholders.map((count) => Array<unknown>(count).fill(expect.any(String))))
  })
