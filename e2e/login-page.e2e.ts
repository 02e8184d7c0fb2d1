import type { Page } from '@playwright/test'
import { codeFor, expect, refused, test } from './portal.ts'

/** Delays the login's code until it is released. */
async function holdCode(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

/** Marks the field, to see that the same element stays. */
const sign = (page: Page) => page.locator('#phone').evaluate((field) => field.setAttribute('data-sign', 'drawn'))
const answers = (page: Page) => page.getByLabel('Mobile number').or(page.getByLabel('मोबाइल नंबर'))

test('the login is in its page, and the drawn elements are hydrated', async ({ page }) => {
  const letThrough = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { name: 'Sign in to your loan' })).toBeVisible()
  await expect(page.getByText(`check that the address is ${new URL(page.url()).host}`)).toBeVisible()
  await sign(page)
  letThrough()
  // Only the code sets the document's title.
  await expect(page).toHaveTitle('Sign in - Kist')
  await expect(answers(page)).toHaveAttribute('data-sign', 'drawn')
})

test('it is there in the language and the theme that were chosen before', async ({ page }) => {
  await page.goto('/favicon.svg')
  await page.evaluate(() => {
    localStorage.setItem('language', 'hi')
    localStorage.setItem('theme', 'dark')
  })
  const letThrough = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { name: 'अपने लोन में लॉग इन करें' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await sign(page)
  letThrough()
  await expect(page.getByRole('button', { name: 'लाइट मोड' }).filter({ visible: true })).toBeVisible()
  await expect(answers(page)).toHaveAttribute('data-sign', 'drawn')
})

test('an OTP is requested before the code is there, and once', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  const before = portal.outbox().length
  const letThrough = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await answers(page).fill(phone.slice(3))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Send OTP' })).toHaveAttribute('aria-busy', 'true')
  await page.keyboard.press('Enter')
  await codeFor(portal, phone, before)
  await sign(page)
  letThrough()
  await expect(page.getByRole('heading', { name: 'Enter the 6-digit OTP' })).toBeVisible()
  expect(portal.outbox().length).toBe(before + 1)
})

test('what the server refuses before the code is there is told when it is', async ({ page, browserErrors }) => {
  browserErrors.expectConsole(refused(404, '/auth/login'))
  const letThrough = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await answers(page).fill('9000000000')
  await page.keyboard.press('Enter')
  letThrough()
  await expect(page.getByText('No loan is registered to this number.')).toBeVisible()
  await expect(answers(page)).toHaveValue('90000 00000')
  await expect(answers(page)).toBeFocused()
})

test('a number that is not complete is named before the code is there, and React goes on with that', async ({ page }) => {
  const letThrough = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  const problem = page.getByText('Enter a valid 10-digit mobile number')
  await answers(page).fill('987654')
  await page.keyboard.press('Enter')
  await expect(problem).toBeVisible()
  await expect(answers(page)).toHaveAttribute('aria-invalid', 'true')
  // A sign that is no digit leaves what is wrong; another press leads back to the field.
  await answers(page).pressSequentially('-')
  await expect(problem).toBeVisible()
  await page.getByRole('button', { name: 'Send OTP' }).press('Enter')
  await expect(answers(page)).toBeFocused()
  await answers(page).pressSequentially('3')
  await expect(problem).toBeHidden()
  await expect(answers(page)).not.toHaveAttribute('aria-invalid')
  await page.keyboard.press('Enter')
  await expect(problem).toBeVisible()
  await sign(page)
  letThrough()
  await expect(page).toHaveTitle('Sign in - Kist')
  await expect(problem).toHaveCount(1)
  await expect(answers(page)).toHaveAttribute('data-sign', 'drawn')
  await expect(answers(page)).toHaveValue('98765 43')
  await answers(page).press('1')
  await expect(problem).toBeHidden()
})

test('typing goes on while the code arrives', async ({ page }) => {
  const letThrough = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await answers(page).pressSequentially('98765')
  letThrough()
  await expect(page).toHaveTitle('Sign in - Kist')
  await page.keyboard.type('43210')
  await expect(answers(page)).toBeFocused()
  await expect(answers(page)).toHaveValue('98765 43210')
})

test('the caret stays after the same digit when the code arrives', async ({ page }) => {
  const letThrough = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await answers(page).pressSequentially('9876543210')
  for (let step = 0; step < 8; step++) await page.keyboard.press('ArrowLeft')
  letThrough()
  await expect(answers(page)).toHaveValue('98765 43210')
  await page.keyboard.press('Backspace')
  await expect(answers(page)).toHaveValue('97654 3210')
})

test('the portal behind the login comes when a code is on its way, and not before', async ({ page, portal, borrower }) => {
  const { phone } = await borrower()
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  await page.goto('/login')
  await expect(page).toHaveTitle('Sign in - Kist')
  await page.waitForLoadState('networkidle')
  const portalFiles = () => loaded.filter((path) => /\/(portal|frame|loans)-/.test(path))
  expect(portalFiles()).toEqual([])
  expect(loaded.filter((path) => path.endsWith('.css'))).toEqual([])
  await answers(page).fill(phone.slice(3))
  const before = portal.outbox().length
  await page.keyboard.press('Enter')
  await codeFor(portal, phone, before)
  await expect.poll(portalFiles).not.toEqual([])
})

const background = { light: 'rgb(242, 245, 239)', dark: 'rgb(15, 23, 21)' }

test('its colours follow the system, until others are chosen', async ({ page }) => {
  const shown = page.locator('html')
  for (const system of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: system })
    await page.goto('/login')
    await expect(shown).toHaveCSS('background-color', background[system])
    for (const chosen of ['dark', 'light'] as const) {
      await page.evaluate((theme) => localStorage.setItem('theme', theme), chosen)
      await page.reload({ waitUntil: 'commit' })
      await expect(shown).toHaveCSS('background-color', background[chosen])
    }
    await page.evaluate(() => localStorage.removeItem('theme'))
  }
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
  await expect(shown).toHaveCSS('color-scheme', 'light')
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false, colorScheme: 'dark' })
  test('its colours follow the system too', async ({ page }) => {
    await page.goto('/login')
    await expect(page.locator('html')).toHaveCSS('background-color', background.dark)
  })

  for (const path of ['/login', '/verify-document'])
    test(`${path} asks for them, and draws no form that could not work`, async ({ page }) => {
      await page.goto(path)
      await expect(page.locator('noscript p').first()).toBeVisible()
      await expect(page.locator('#root')).toBeHidden()
      await expect(page.locator('#root form')).toHaveCount(1)
    })
})
