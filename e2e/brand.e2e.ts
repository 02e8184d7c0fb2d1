import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoPhone } from '#testkit/demo-phone.ts'
import { expect, test } from './portal.ts'

const example = join(import.meta.dirname, '../brand/example')
test.use({ portalSettings: { KIST_BRAND_DIR: example } })

test("a lender's folder makes names, logo, colours, contacts and language its own", async ({ page, enter }) => {
  await page.goto('/login')
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  await expect(page).toHaveTitle(/Sarvodaya/)
  const logo = page.getByRole('img', { name: 'Sarvodaya' }).first()
  await expect(logo).toBeVisible()
  await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100)
  await expect(page.getByText('Sarvodaya Housing Finance Ltd').filter({ visible: true }).first()).toBeVisible()
  await expect(page.getByText('1800 266 7788').filter({ visible: true }).first()).toBeVisible()
  const colourOf = (name: string) =>
    page.evaluate((token) => getComputedStyle(document.documentElement).getPropertyValue(token).trim(), `--${name}`)
  await page.emulateMedia({ colorScheme: 'light' })
  expect([await colourOf('brand'), await colourOf('surface-spine'), await colourOf('danger')]).toEqual(['#8a1f4f', '#3d0f27', '#b3231a'])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect([await colourOf('brand'), await colourOf('surface-spine')]).toEqual(['#f0a3c6', '#2b0a1b'])
  await page.emulateMedia({ colorScheme: 'light' })

  // The browser's bar, the splash screen of the installed portal, and the icons.
  await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#3d0f27')
  const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as Record<string, unknown>
  expect([manifest['theme_color'], manifest['background_color'], manifest['short_name']]).toEqual(['#3d0f27', '#3d0f27', 'Sarvodaya'])
  for (const [name, file] of [
    ['/favicon.svg', 'favicon.svg'],
    ['/icons/180.png', '180.png'],
    ['/icons/maskable-512.png', 'maskable-512.png'],
  ] as const)
    expect((await (await page.request.get(name)).body()).equals(readFileSync(join(example, 'icons', file)))).toBe(true)

  await enter(demoPhone(1), '/customer-support')
  await expect(page.getByText('seva@sarvodaya.example').first()).toBeVisible()
  await expect(page.getByText('Meenakshi Rathore').first()).toBeVisible()
  await expect(page.getByRole('contentinfo')).toContainText('Sarvodaya Housing Finance Ltd')
  expect(await page.getByText('Meghdoot').count()).toBe(0)
})
