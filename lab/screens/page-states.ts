import { demoPhone } from '#testkit/demo-town.ts'
import { enter, failing, press, type ScreenContext, type State } from './screen-context.ts'

const heading = (screen: ScreenContext) => screen.page.locator('h1').waitFor()

/** Loading, failures, and the pages besides the loan. */
export const pageStates: readonly State[] = [
  { name: 'no-loans', go: (screen) => enter(screen, 6) },
  {
    name: 'loading',
    go: async (screen) => {
      await screen.page.route('**/portal/loans-summary', () => {})
      await enter(screen, 1)
    },
  },
  {
    name: 'error-server',
    go: async (screen) => {
      await failing(screen, '/portal/loans-summary')
      await enter(screen, 1)
      await screen.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-network',
    go: async (screen) => {
      await screen.page.route('**/api/v1/portal/loans-summary', (route) => route.abort())
      await enter(screen, 1)
      await screen.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-too-many',
    go: async (screen) => {
      await failing(screen, '/portal/loans-summary', 429)
      await enter(screen, 1)
      await screen.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-forbidden',
    go: async (screen) => {
      await failing(screen, '/portal/loans-summary', 403)
      await enter(screen, 1)
      await screen.page.getByRole('alert').getByRole('link').waitFor()
    },
  },
  {
    name: 'error-schedule',
    go: async (screen) => {
      await failing(screen, '/portal/repayment-schedule')
      await enter(screen, 1, '/active-loans/payments')
      await screen.page.getByRole('alert').getByRole('button').waitFor()
    },
  },
  {
    name: 'error-update',
    go: async (screen) => {
      await enter(screen, 1)
      await screen.page.waitForLoadState('networkidle')
      await failing(screen, '/portal/loans-summary')
      // Figures of a minute ago are loaded again when the connection returns.
      await screen.page.clock.fastForward(60_000)
      await screen.context.setOffline(true)
      await screen.page.getByRole('status').filter({ visible: true }).first().waitFor()
      await screen.context.setOffline(false)
      await screen.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'error-start',
    go: async (screen) => {
      await screen.page.route('**/assets/words-*', (route) => route.abort())
      await enter(screen, 1)
    },
  },
  {
    name: 'error-pending-elsewhere',
    shows: '.bottom-bar',
    go: async (screen) => {
      await enter(screen, 1, '/active-loans/payments')
      const problem = { type: '', title: '', status: 409, detail: '', code: 'PaymentAlreadyPending', request_id: '' }
      const answer = { status: 409, contentType: 'application/problem+json', body: JSON.stringify(problem) }
      await screen.page.route('**/portal/payment-link?*', (route) => route.fulfill(answer))
      await press(screen)
      await screen.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'session-expired',
    go: async (screen) => {
      await failing(screen, '/portal/loans-summary', 401)
      await enter(screen, 1)
      await screen.page.getByRole('alertdialog').waitFor()
    },
  },
  {
    name: 'offline',
    go: async (screen) => {
      await enter(screen, 1)
      await screen.page.waitForLoadState('networkidle')
      await screen.context.setOffline(true)
    },
  },
  { name: 'not-found', go: (screen) => enter(screen, 1, '/no-such-page') },
  { name: 'not-found-stranger', go: async (screen) => (await screen.page.goto(`${screen.origin}/no-such-page`), heading(screen)) },
  { name: 'profile', isLong: true, go: (screen) => enter(screen, 1, '/user-profile') },
  { name: 'profile-missing', isLong: true, go: (screen) => enter(screen, 7, '/user-profile') },
  {
    name: 'profile-sign-out-one',
    go: async (screen) => {
      await screen.app.signIn(demoPhone(1))
      await enter(screen, 1, '/user-profile')
      await screen.page.locator('section[aria-labelledby=sessions] li button').first().click()
      await screen.page.getByRole('dialog').waitFor()
    },
  },
  { name: 'faqs', go: (screen) => enter(screen, 1, '/faqs') },
  {
    name: 'faqs-open',
    go: async (screen) => {
      await enter(screen, 1, '/faqs')
      for (const summary of await screen.page.locator('main summary').all()) await summary.click()
    },
    isLong: true,
  },
  { name: 'support', isLong: true, go: (screen) => enter(screen, 1, '/customer-support') },
  { name: 'application', isLong: true, go: (screen) => enter(screen, 3, '/ongoing-application') },
  { name: 'application-none', go: (screen) => enter(screen, 1, '/ongoing-application') },
  {
    name: 'logout',
    go: async (screen) => {
      await enter(screen, 1)
      await screen.page.locator('header button[aria-haspopup=menu]:visible').click()
      await screen.page.getByRole('menuitem').last().click()
      await screen.page.getByRole('dialog').waitFor()
    },
  },
]
