import { askForCode, enter, failing, press, startPayment, waitingPath, type Stage } from './stage.ts'

export type State = {
  name: string
  go: (stage: Stage) => Promise<unknown>
  /** Longer than a screen: pictured whole too. */
  isLong?: boolean
  /** What hangs at the end of the document, outside every landmark: axe looks at it alone, the page under it was looked at before. */
  popup?: string
  /** A page that is not the portal's: pictured, not judged. */
  isForeign?: boolean
}

const heading = (stage: Stage) => stage.page.locator('h1').waitFor()

/** Every screen and state, in the order a person meets them. What changes a loan stands after what shows it. */
export const states: readonly State[] = [
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
  { name: 'login-code', go: (stage) => askForCode(stage, 1) },
  {
    name: 'login-code-wrong',
    go: async (stage) => {
      const code = await askForCode(stage, 1)
      await stage.page.keyboard.type(code === '123456' ? '654321' : '123456')
      await stage.page.keyboard.press('Enter')
      await stage.page.locator('#code-error p').waitFor()
    },
  },
  {
    name: 'login-code-expired',
    go: async (stage) => {
      const code = await askForCode(stage, 7)
      await stage.app.clock.advance(6 * 60_000)
      await stage.page.keyboard.type(code)
      await stage.page.keyboard.press('Enter')
      await stage.page.locator('form > [role=status]').waitFor()
    },
  },
  { name: 'loan-details', isLong: true, go: (stage) => enter(stage, 1) },
  {
    name: 'loan-details-computed',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 1)
      await stage.page.locator('details summary').first().click()
    },
  },
  { name: 'loan-details-overdue', isLong: true, go: (stage) => enter(stage, 2) },
  { name: 'loan-details-very-overdue', go: (stage) => enter(stage, 5) },
  { name: 'loan-details-closed', isLong: true, go: (stage) => enter(stage, 4) },
  {
    name: 'loan-selector',
    popup: '[role=listbox]',
    go: async (stage) => {
      await enter(stage, 2)
      await stage.page.getByRole('combobox').click()
      await stage.page.getByRole('option').first().waitFor()
    },
  },
  { name: 'payments', isLong: true, go: (stage) => enter(stage, 1, '/active-loans/payments') },
  { name: 'payments-overdue', isLong: true, go: (stage) => enter(stage, 2, '/active-loans/payments') },
  { name: 'payments-closed', go: (stage) => enter(stage, 4, '/active-loans/payments') },
  {
    name: 'payments-limited',
    go: async (stage) => {
      await enter(stage, 11, '/active-loans/payments')
      await stage.page.locator('input[value=foreclosure]').check({ force: true })
    },
  },
  {
    name: 'payments-schedule',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('#repayment-schedule').evaluate('(heading) => heading.scrollIntoView()')
    },
  },
  {
    name: 'part-payment',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('input[value=part_payment]').check({ force: true })
      await press(stage)
      await stage.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'part-payment-too-little',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('input[value=part_payment]').check({ force: true })
      await press(stage)
      await stage.page.getByRole('dialog').getByRole('textbox').fill('100')
    },
  },
  { name: 'documents', go: (stage) => enter(stage, 1, '/active-loans/documents') },
  { name: 'documents-no-lead', go: (stage) => enter(stage, 7, '/active-loans/documents') },
  {
    name: 'payment-failed-to-start',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await failing(stage, '/portal/payment-link', 503)
      await press(stage)
      await stage.page.locator('.bottom-bar [role=alert]').waitFor()
    },
  },
  {
    name: 'countdown',
    go: async (stage) => {
      await enter(stage, 1, '/active-loans/payments')
      await press(stage)
      await stage.page.getByRole('timer').waitFor()
    },
  },
  {
    name: 'payments-pending',
    isLong: true,
    go: async (stage) => {
      await startPayment(stage, 1)
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('#pending-payment').waitFor()
    },
  },
  {
    name: 'payments-pending-open',
    isLong: true,
    go: async (stage) => {
      await startPayment(stage, 1)
      await enter(stage, 1, '/active-loans/payments')
      for (const part of [0, 1]) await stage.page.locator('section:has(#pending-payment) summary').nth(part).click()
      await stage.page.locator('section:has(#pending-payment) ol').waitFor()
    },
  },
  {
    name: 'payment-trail',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 2, '/active-loans/payments')
      await stage.page.locator('section:has(#completed-payments) summary').first().click()
      await stage.page.locator('section:has(#completed-payments) ol li').nth(5).waitFor()
    },
  },
  {
    name: 'payment-refunded',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 4, '/active-loans/payments')
      await stage.page.locator('section:has(#completed-payments) summary').first().click()
      await stage.page.locator('section:has(#completed-payments) ol > li').nth(11).waitFor()
    },
  },
  {
    name: 'cancel-payment',
    go: async (stage) => {
      await startPayment(stage, 1)
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('section:has(#pending-payment) button').first().click()
      await stage.page.getByRole('dialog').waitFor()
    },
  },
  { name: 'waiting', go: async (stage) => enter(stage, 1, waitingPath(await startPayment(stage, 1))) },
  {
    name: 'waiting-stop',
    go: async (stage) => {
      await enter(stage, 1, waitingPath(await startPayment(stage, 1)))
      await stage.page.locator('main button').last().click()
      await stage.page.getByRole('dialog').nth(1).waitFor()
    },
  },
  { name: 'waiting-timeout', go: async (stage) => (await enter(stage, 1, waitingPath(await startPayment(stage, 1))), timeOut(stage)) },
  {
    name: 'waiting-expired',
    go: async (stage) => {
      const linkId = await startPayment(stage, 7)
      await stage.app.sandbox(`/links/${linkId}/expire`, {})
      await enter(stage, 7, waitingPath(linkId))
      await result(stage)
    },
  },
  {
    name: 'waiting-cancelled',
    go: async (stage) => {
      const linkId = await startPayment(stage, 7)
      await stage.app.patch(`/payments/payment-link/cancel?payment_link_id=${linkId}`, {}, await stage.app.signIn('+919000000007'))
      await enter(stage, 7, waitingPath(linkId))
      await result(stage)
    },
  },
  {
    name: 'waiting-syncing',
    go: async (stage) => {
      await payThroughTheHostedPage(stage, 5, 'slow@razorpay')
      await stage.page.locator('[aria-current=step]').nth(0).waitFor()
    },
  },
  {
    name: 'waiting-delayed',
    go: async (stage) => {
      await enter(stage, 5, waitingPath(await startPayment(stage, 5)))
      await stage.page.locator('li[aria-current=step]').waitFor()
      await timeOut(stage)
    },
  },
  { name: 'payments-being-applied', isLong: true, go: (stage) => enter(stage, 5, '/active-loans/payments') },
  {
    name: 'hosted-page',
    isForeign: true,
    go: async (stage) => {
      await enter(stage, 11, '/active-loans/payments')
      await toHostedPage(stage)
    },
  },
  {
    name: 'waiting-success',
    go: async (stage) => {
      await payThroughTheHostedPage(stage, 11, 'success@razorpay')
      await stage.page.getByRole('img', { name: /,/ }).waitFor()
    },
  },
  { name: 'payments-after-paying', isLong: true, go: (stage) => enter(stage, 11, '/active-loans/payments') },
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
  { name: 'profile', go: (stage) => enter(stage, 1, '/user-profile') },
  { name: 'profile-missing', go: (stage) => enter(stage, 7, '/user-profile') },
  { name: 'faqs', go: (stage) => enter(stage, 1, '/faqs') },
  { name: 'support', go: (stage) => enter(stage, 1, '/customer-support') },
  { name: 'application', go: (stage) => enter(stage, 3, '/ongoing-application') },
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

async function toHostedPage(stage: Stage): Promise<void> {
  await stage.page.locator('input[value=next_emi], input[value=overdue]').and(stage.page.locator(':enabled')).first().check({ force: true })
  await press(stage)
  await stage.page.getByRole('dialog').getByRole('button').last().click()
  await stage.page.locator('#vpa').waitFor()
}

async function payThroughTheHostedPage(stage: Stage, person: number, upiId: string): Promise<void> {
  await enter(stage, person, '/active-loans/payments')
  await stage.page.locator('#pending-payment, .bottom-bar').first().waitFor()
  if (await stage.page.locator('#pending-payment').isVisible()) {
    await stage.page.locator('section:has(#pending-payment) button').last().click()
    await stage.page.getByRole('dialog').getByRole('button').last().click()
    await stage.page.locator('#vpa').waitFor()
  } else {
    await toHostedPage(stage)
  }
  await stage.page.locator('#vpa').fill(upiId)
  await stage.page.locator('button[value=success]').click()
  await stage.page.locator('.return a').click()
  await stage.page.waitForURL('**/waiting-for-payment?*')
}

/** Ninety seconds pass in the browser. */
async function timeOut(stage: Stage): Promise<void> {
  await stage.page.locator('li[aria-current=step]').waitFor()
  await stage.page.clock.fastForward(95_000)
  await result(stage)
}

/** The result of the waiting page has come: its steps are gone, its button is there. */
async function result(stage: Stage): Promise<void> {
  await stage.page.locator('li[aria-current=step]').waitFor({ state: 'detached' })
  await stage.page.locator('main button').last().waitFor()
}
