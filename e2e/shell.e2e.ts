import { demoPhone } from '#testkit/demo-town.ts'
import { expect, test, waitForIdleLoads, watchOpenRequests } from './portal.ts'

const pages = [
  { path: '/active-loans', title: 'Your loans - Kist', section: 'Active loans' },
  { path: '/active-loans/payments', title: 'Your loans - Kist', section: 'Active loans' },
  { path: '/user-profile', title: 'Your profile - Kist', section: 'Your profile' },
  { path: '/faqs', title: 'FAQs - Kist', section: null },
  { path: '/customer-support', title: 'Customer support - Kist', section: null },
  { path: '/ongoing-application', title: 'Ongoing application - Kist', section: null },
  { path: '/no-such-page', title: 'Page not found - Kist', section: 'Active loans' },
]

test('each page has its title and its place in the sidebar', async ({ page, enter }) => {
  test.slow()
  await enter(demoPhone(1))
  const main = page.getByRole('navigation', { name: 'Main' })
  for (const { path, title, section } of pages) {
    await page.goto(path)
    await expect(page).toHaveTitle(title)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expect(main.getByRole('listitem').getByRole('link')).toHaveText(['Active loans', 'Your profile'])
    await expect(main.locator('[aria-current=page]')).toHaveText(section === null ? [] : [section])
  }
})

test('the sidebar leads to its pages, with the focus on the new heading', async ({ page, enter }) => {
  await enter(demoPhone(1))
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Your profile' }).click()
  await expect(page).toHaveURL(/\/user-profile$/)
  await expect(page.getByRole('heading', { name: 'Your profile', level: 1 })).toBeFocused()
  await main.getByRole('link', { name: 'Active loans' }).click()
  await expect(page).toHaveURL(/\/active-loans$/)
  await main.getByRole('link', { name: 'Kist' }).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('the account menu names the person and leads to every other page', async ({ page, enter }) => {
  await enter(demoPhone(1))
  const menu = page.getByRole('button', { name: /^Account menu.*Ananya Deshpande$/ })
  for (const [entry, path] of [
    ['Your profile', '/user-profile'],
    ['FAQs', '/faqs'],
    ['Customer support', '/customer-support'],
  ] as const) {
    await menu.click()
    await page.getByRole('menuitem', { name: entry }).click()
    await expect(page).toHaveURL(new RegExp(`${path}$`))
    await expect(page.getByRole('heading', { name: entry, level: 1 })).toBeVisible()
  }
  await menu.click()
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeHidden()
  await expect(menu).toBeFocused()
})

test('the ongoing application is linked for its borrower alone', async ({ page, enter }) => {
  const footer = page.getByRole('contentinfo')
  const entry = page.getByRole('menuitem', { name: 'Ongoing application' })
  await enter(demoPhone(3), '/faqs')
  await expect(footer.getByRole('link', { name: 'Ongoing application' })).toHaveAttribute('href', '/ongoing-application')
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await entry.click()
  await expect(page).toHaveURL(/\/ongoing-application$/)
  await enter(demoPhone(6), '/faqs')
  await expect(footer.getByRole('link', { name: 'FAQs' })).toBeVisible()
  await expect(footer.getByRole('link', { name: 'Ongoing application' })).toHaveCount(0)
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  await expect(entry).toHaveCount(0)
})

test('the footer names the lender, the grievance officer and the pages beside the sidebar', async ({ page, enter }) => {
  await enter(demoPhone(1))
  const footer = page.getByRole('contentinfo')
  await expect(footer).toContainText('Meghdoot Education Finance Ltd')
  await expect(footer).toContainText('R. Subramaniam')
  await footer.getByRole('link', { name: 'FAQs' }).click()
  await expect(page).toHaveURL(/\/faqs$/)
})

test('the keyboard can skip the sidebar', async ({ page, enter }) => {
  await enter(demoPhone(1))
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to main content' })
  await expect(skip).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test('the language is changed by one press and kept', async ({ page, enter }) => {
  await enter(demoPhone(1))
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await page.getByRole('button', { name: 'हिन्दी' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[ऀ-ॿ]/)
  await expect(page).toHaveTitle(/[ऀ-ॿ].* - Kist$/)
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[ऀ-ॿ]/)
  await page.getByRole('button', { name: 'English' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await expect(page.getByRole('heading', { name: 'Your loans' })).toBeVisible()
})

test.describe('in a Hindi browser', () => {
  test.use({ locale: 'hi-IN' })
  test('the portal starts in Hindi', async ({ page }) => {
    await page.goto('/login')
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  })
})

test.describe('in a French browser', () => {
  test.use({ locale: 'fr-FR' })
  test('the portal starts in English', async ({ page }) => {
    await page.goto('/login')
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  })
})

test('a stored language that is none of ours is not taken', async ({ page }) => {
  await page.goto('/favicon.svg')
  await page.evaluate(() => localStorage.setItem('language', 'ta'))
  await page.goto('/login')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})

test('dark colours are chosen by one press and kept', async ({ page, enter }) => {
  await enter(demoPhone(1))
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const light = await background()
  await page.getByRole('button', { name: 'Dark mode' }).click()
  await expect(page.getByRole('button', { name: 'Light mode' })).toBeVisible()
  await expect.poll(background).not.toBe(light)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Light mode' })).toBeVisible()
  expect(await background()).not.toBe(light)
})

test('an unknown page says so and leads home', async ({ page, enter }) => {
  await enter(demoPhone(1), '/no/such/page')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page.getByText('Please contact support for help')).toBeVisible()
  await page.getByRole('link', { name: 'Go to home' }).click()
  await expect(page).toHaveURL(/\/active-loans$/)
})

test('the page of all components is no part of the product', async ({ page }) => {
  await page.goto('/design')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})

test('an unknown page shows a stranger the same, without the shell', async ({ page }) => {
  await page.goto('/no/such/page')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await page.getByRole('link', { name: 'Go to home' }).click()
  await expect(page).toHaveURL(/\/login$/)
})

test('an address that only begins like the loan page is unknown, to a stranger too', async ({ page }) => {
  await page.goto('/active-loansx')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page).toHaveURL(/\/active-loansx$/)
})

test('an unknown tab is the loan page, and the default tab has an address too', async ({ page, enter }) => {
  await enter(demoPhone(1), '/active-loans/nonsense')
  await expect(page).toHaveURL(/\/active-loans$/)
  await page.goto('/active-loans/loan-details')
  await expect(page.getByRole('heading', { name: 'Principal outstanding' })).toBeVisible()
})

test('the profile is read only, with what is missing named', async ({ page, enter }) => {
  await enter(demoPhone(5), '/user-profile')
  const value = (term: string) => page.getByRole('term').filter({ hasText: term }).locator('xpath=following-sibling::dd')
  await expect(value('First name')).toHaveText('Esha')
  await expect(value('Last name')).toHaveText('Kulkarni')
  await expect(value('Phone')).toContainText('Verified')
  await expect(value('Email')).toContainText('Unverified')
  await expect(value('PAN')).toHaveText('ESKPK3305E')
  expect(await page.evaluate(() => localStorage.getItem('userData'))).toContain('ESKPK****E')
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain('ESKPK3305E')
  await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(0)

  await enter(demoPhone(7), '/user-profile')
  await expect(value('Email')).toContainText('Verified')
  await expect(value('PAN')).toHaveText('Not provided')
})

test('being offline is reported', async ({ page, enter, context }) => {
  const answered = watchOpenRequests(page)
  await enter(demoPhone(1), '/faqs')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  // What was answered can have more code loaded.
  await answered()
  await waitForIdleLoads(page)
  await answered()
  await context.setOffline(true)
  await expect(page.getByText('You are offline. What you see may not be up to date.')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('You are offline.')).toBeHidden()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true })

  test('one menu holds everything', async ({ page, enter }) => {
    await enter(demoPhone(1))
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
    const menu = page.getByRole('button', { name: 'Menu', exact: true })
    await menu.click()
    await expect(page.getByRole('menuitem')).toHaveText(['Active loans', 'Your profile', 'FAQs', 'Customer support', 'Dark mode', 'Logout'])
    await page.getByRole('menuitem', { name: 'Your profile' }).click()
    await expect(page).toHaveURL(/\/user-profile$/)
    await expect(page.getByRole('menuitem')).toHaveCount(0)
    await page.getByRole('button', { name: 'हिन्दी' }).click()
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  })
})
