import { demoPhone } from '#testkit/demo-town.ts'
import { enter, failing, press, type Stage, type State } from './stage.ts'

const heading = (stage: Stage) => stage.page.locator('h1').waitFor()

/** Loading, failures, and the pages besides the loan. */
export const pageStates: readonly State[] = [
  { name: 'no-loans', go: (stage) => enter(stage, 6) },
  {
    name: 'loading',
    go: async (stage) => {
      await stage.page.route('**/portal/loans-summary', () => {})
      await enter(stage, 1)
    },
  },
  {
    name: 'error-server',
    go: async (stage) => {
      await failing(stage, '/portal/loans-summary')
      await enter(stage, 1)
      await stage.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-network',
    go: async (stage) => {
      await stage.page.route('**/api/v1/portal/loans-summary', (route) => route.abort())
      await enter(stage, 1)
      await stage.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-too-many',
    go: async (stage) => {
      await failing(stage, '/portal/loans-summary', 429)
      await enter(stage, 1)
      await stage.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-forbidden',
    go: async (stage) => {
      await failing(stage, '/portal/loans-summary', 403)
      await enter(stage, 1)
      await stage.page.getByRole('alert').getByRole('link').waitFor()
    },
  },
  {
    name: 'error-schedule',
    go: async (stage) => {
      await failing(stage, '/portal/repayment-schedule')
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-update',
    go: async (stage) => {
      await enter(stage, 1)
      await stage.page.waitForLoadState('networkidle')
      await failing(stage, '/portal/loans-summary')
      // Figures of a minute ago are loaded again when the connection returns.
      await stage.page.clock.fastForward(60_000)
      await stage.context.setOffline(true)
      await stage.page.getByRole('status').filter({ visible: true }).first().waitFor()
      await stage.context.setOffline(false)
      await stage.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'error-start',
    go: async (stage) => {
      await stage.page.route('**/assets/words-*', (route) => route.abort())
      await enter(stage, 1)
    },
  },
  {
    name: 'error-pending-elsewhere',
    shows: '.bottom-bar',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      const problem = { type: '', title: '', status: 409, detail: '', code: 'PaymentAlreadyPending', request_id: '' }
      const answer = { status: 409, contentType: 'application/problem+json', body: JSON.stringify(problem) }
      await stage.page.route('**/portal/payment-link?*', (route) => route.fulfill(answer))
      await press(stage)
      await stage.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'session-expired',
    go: async (stage) => {
      await failing(stage, '/portal/loans-summary', 401)
      await enter(stage, 1)
      await stage.page.getByRole('alertdialog').waitFor()
    },
  },
  {
    name: 'offline',
    go: async (stage) => {
      await enter(stage, 1)
      await stage.page.waitForLoadState('networkidle')
      await stage.context.setOffline(true)
    },
  },
  { name: 'not-found', go: (stage) => enter(stage, 1, '/no-such-page') },
  { name: 'not-found-stranger', go: async (stage) => (await stage.page.goto(`${stage.origin}/no-such-page`), heading(stage)) },
  { name: 'profile', isLong: true, go: (stage) => enter(stage, 1, '/user-profile') },
  { name: 'profile-missing', isLong: true, go: (stage) => enter(stage, 7, '/user-profile') },
  {
    name: 'profile-sign-out-one',
    go: async (stage) => {
      await stage.app.signIn(demoPhone(1))
      await enter(stage, 1, '/user-profile')
      await stage.page.locator('section[aria-labelledby=sessions] li button').first().click()
      await stage.page.getByRole('dialog').waitFor()
    },
  },
  { name: 'faqs', go: (stage) => enter(stage, 1, '/faqs') },
  {
    name: 'faqs-open',
    go: async (stage) => {
      await enter(stage, 1, '/faqs')
      for (const summary of await stage.page.locator('main summary').all()) await summary.click()
    },
    isLong: true,
  },
  { name: 'support', isLong: true, go: (stage) => enter(stage, 1, '/customer-support') },
  { name: 'application', isLong: true, go: (stage) => enter(stage, 3, '/ongoing-application') },
  { name: 'application-none', go: (stage) => enter(stage, 1, '/ongoing-application') },
  {
    name: 'logout',
    go: async (stage) => {
      await enter(stage, 1)
      await stage.page.locator('header button[aria-haspopup=menu]:visible').click()
      await stage.page.getByRole('menuitem').last().click()
      await stage.page.getByRole('dialog').waitFor()
    },
  },
]
