import { demoPhone } from '#testkit/demo-town.ts'
import { requestCode, type Stage, type State } from './stage.ts'

const heading = (stage: Stage) => stage.page.locator('h1').waitFor()

/** Waits for a code to the phone whose messages never leave, until the page says so. */
async function waitForSendingFailure({ page, origin }: Stage, path: string): Promise<void> {
  await page.goto(`${origin}${path}`)
  await page.locator('#phone').fill(demoPhone(98).slice(3))
  await page.locator('form button[type=submit]').click()
  await page.locator('form [role=status] a').waitFor({ timeout: 60_000 })
}

/** The borrower’s sign-in, and the verification of a document. */
export const signInStates: readonly State[] = [
  { name: 'login-phone', go: async (stage) => (await stage.page.goto(`${stage.origin}/login`), heading(stage)) },
  {
    name: 'login-phone-error',
    go: async (stage) => {
      await stage.page.goto(`${stage.origin}/login`)
      await stage.page.locator('#phone').fill('98765')
      await stage.page.locator('form button[type=submit]').click()
      await stage.page.locator('#phone-error p').waitFor()
    },
  },
  {
    name: 'login-offline',
    go: async (stage) => {
      await stage.page.goto(`${stage.origin}/login`, { waitUntil: 'networkidle' })
      await stage.context.setOffline(true)
    },
  },
  { name: 'login-code', go: (stage) => requestCode(stage, 1) },
  { name: 'login-code-late', go: (stage) => waitForSendingFailure(stage, '/login') },
  { name: 'staff-login-code-late', go: (stage) => waitForSendingFailure(stage, '/admin/login') },
  {
    name: 'verify-document',
    go: async (stage) => {
      const token = await stage.app.signIn(demoPhone(1))
      const { body } = await stage.app.get('/portal/generate-document?lead_id=LEAD-004173&doc_type=payoff_letter', token)
      await stage.page.goto(`${stage.origin}/verify-document?code=${String(body['verification_code'])}`)
      await stage.page.locator('dl').waitFor()
    },
  },
  {
    name: 'verify-document-unknown',
    go: async (stage) => {
      await stage.page.goto(`${stage.origin}/verify-document?code=0000-0000-0000-0000`)
      await stage.page.locator('[role=status] p').first().waitFor()
    },
  },
  {
    name: 'login-code-wrong',
    go: async (stage) => {
      const code = await requestCode(stage, 1)
      await stage.page.keyboard.type(code === '123456' ? '654321' : '123456')
      await stage.page.keyboard.press('Enter')
      await stage.page.locator('#code-error p').waitFor()
    },
  },
  {
    name: 'login-code-expired',
    go: async (stage) => {
      const code = await requestCode(stage, 7)
      await stage.app.clock.advance(6 * 60_000)
      await stage.page.keyboard.type(code)
      await stage.page.keyboard.press('Enter')
      await stage.page.locator('form > [role=status].bg-positive-soft').waitFor()
    },
  },
]
