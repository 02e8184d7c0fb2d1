import { demoPhone } from '#testkit/demo-town.ts'
import { requestCode, type ScreenContext, type State } from './screen-context.ts'

const heading = (screen: ScreenContext) => screen.page.locator('h1').waitFor()

/** Waits for a code to the phone whose messages never leave, until the page says so. */
async function waitForSendingFailure({ page, origin }: ScreenContext, path: string): Promise<void> {
  await page.goto(`${origin}${path}`)
  await page.locator('#phone').fill(demoPhone(98).slice(3))
  await page.locator('form button[type=submit]').click()
  await page.locator('form [role=status] a').waitFor({ timeout: 60_000 })
}

/** The borrower’s sign-in, and the verification of a document. */
export const signInStates: readonly State[] = [
  { name: 'login-phone', go: async (screen) => (await screen.page.goto(`${screen.origin}/login`), heading(screen)) },
  {
    name: 'login-phone-error',
    go: async (screen) => {
      await screen.page.goto(`${screen.origin}/login`)
      await screen.page.locator('#phone').fill('98765')
      await screen.page.locator('form button[type=submit]').click()
      await screen.page.locator('#phone-error p').waitFor()
    },
  },
  {
    name: 'login-offline',
    go: async (screen) => {
      await screen.page.goto(`${screen.origin}/login`, { waitUntil: 'networkidle' })
      await screen.context.setOffline(true)
    },
  },
  { name: 'login-code', go: (screen) => requestCode(screen, 1) },
  { name: 'login-code-late', go: (screen) => waitForSendingFailure(screen, '/login') },
  { name: 'staff-login-code-late', go: (screen) => waitForSendingFailure(screen, '/admin/login') },
  {
    name: 'verify-document',
    go: async (screen) => {
      const token = await screen.app.signIn(demoPhone(1))
      const { body } = await screen.app.get('/portal/generate-document?lead_id=LEAD-004173&doc_type=payoff_letter', token)
      await screen.page.goto(`${screen.origin}/verify-document?code=${String(body['verification_code'])}`)
      await screen.page.locator('dl').waitFor()
    },
  },
  {
    name: 'verify-document-unknown',
    go: async (screen) => {
      await screen.page.goto(`${screen.origin}/verify-document?code=0000-0000-0000-0000`)
      await screen.page.locator('[role=status] p').first().waitFor()
    },
  },
  {
    name: 'login-code-wrong',
    go: async (screen) => {
      const code = await requestCode(screen, 1)
      await screen.page.keyboard.type(code === '123456' ? '654321' : '123456')
      await screen.page.keyboard.press('Enter')
      await screen.page.locator('#code-error p').waitFor()
    },
  },
  {
    name: 'login-code-expired',
    go: async (screen) => {
      const code = await requestCode(screen, 7)
      await screen.app.clock.advance(6 * 60_000)
      await screen.page.keyboard.type(code)
      await screen.page.keyboard.press('Enter')
      await screen.page.locator('form > [role=status].bg-positive-soft').waitFor()
    },
  },
]
