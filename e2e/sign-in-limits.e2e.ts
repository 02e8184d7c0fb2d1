import type { App } from '#testkit/start-app.ts'
import { codeFor, requestCode, expect, firstBox, openLogin, refused, test } from './portal.ts'

test.use({ portalSettings: { KIST_LIMITS: 'demo' } })

/** With each code the next one has to be waited for longer: two minutes after this. */
async function lengthenWait(portal: App, phone: string): Promise<void> {
  for (const seconds of [31, 61]) {
    const before = portal.outbox().length
    await portal.post('/auth/login', { phone })
    await codeFor(portal, phone, before)
    await portal.clock.advance(seconds * 1_000)
  }
}

test('a code asked for again too soon is refused with the seconds to wait', async ({ page, context, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(429, '/auth/login'))
  const { phone } = await borrower()
  await lengthenWait(portal, phone)
  await page.goto('/login')
  await requestCode(page, portal, phone)
  // Another tab does not know the code that this one awaits.
  const other = await context.newPage()
  await openLogin(other)
  await other.getByLabel('Mobile number').fill(phone.slice(3))
  await other.getByRole('button', { name: 'Send OTP' }).click()
  await expect(other.getByText(/^An OTP was sent a moment ago\. You can ask for another in \d+ seconds?\.$/)).toBeVisible()
})

test('the number typed again after changing it leads back to the code that was sent', async ({ page, portal, borrower, browserErrors }) => {
  browserErrors.expectConsole(refused(429, '/auth/login'))
  const { phone } = await borrower()
  await lengthenWait(portal, phone)
  await page.goto('/login')
  const code = await requestCode(page, portal, phone)
  await page.getByRole('button', { name: 'Change number' }).click()
  await page.getByRole('button', { name: 'Send OTP' }).click()
  await expect(firstBox(page)).toBeFocused()
  await expect(page.getByRole('button', { name: /^Resend OTP in \d+s$/ })).toBeVisible()
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/active-loans$/)
})
