import { makeBrandFolder } from '#testkit/brand-folder.ts'
import { expect, test } from './portal.ts'

test.use({
  portalSettings: {
    KIST_BRAND_DIR: makeBrandFolder({
      name: 'Sarathi & Sons',
      lender: 'Sarathi <Finance> Ltd',
      default_language: 'hi',
      detect_language: false,
    }),
  },
})

test("a lender's own name and language are in the login's page and stay after hydration", async ({ page }) => {
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/login', { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { name: 'अपने लोन में लॉग इन करें' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Sarathi & Sons' })).toBeVisible()
  await expect(page.getByRole('banner').getByText('Sarathi <Finance> Ltd')).toBeVisible()
  await page.locator('#phone').evaluate((field) => field.setAttribute('data-sign', 'drawn'))
  held.resolve()
  await expect(page).toHaveTitle(/ - Sarathi & Sons$/)
  await expect(page.locator('#phone')).toHaveAttribute('data-sign', 'drawn')
})
