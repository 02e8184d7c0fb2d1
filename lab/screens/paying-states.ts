import { demoPhone } from '#testkit/demo-town.ts'
import { until } from '#testkit/start-app.ts'
import { enter, failing, press, startPayment, waitingPath, type ScreenContext, type State } from './screen-context.ts'

/** The second of three steps of waiting: the payment has arrived and is not posted yet. */
const syncing = 'li:nth-child(2)[aria-current=step]'

/**
 * A payment from the button to the receipt. Each state creates its data or names the state that it
 * follows.
 */
export const payingStates: readonly State[] = [
  {
    name: 'payment-failed-to-start',
    go: async (screen) => {
      await enter(screen, 1, '/active-loans/payments')
      await failing(screen, '/portal/payment-link', 503)
      await press(screen)
      await screen.page.locator('.bottom-bar [role=alert]').waitFor()
    },
  },
  {
    name: 'countdown',
    go: async (screen) => {
      await enter(screen, 1, '/active-loans/payments')
      await press(screen)
      await screen.page.getByRole('timer').waitFor()
    },
  },
  {
    name: 'loan-details-failed-to-start',
    go: async (screen) => {
      await enter(screen, 1)
      await failing(screen, '/portal/payment-link', 503)
      await screen.page.getByRole('button', { name: /^(Pay EMI|ईएमआई चुकाएँ)$/ }).click()
      await screen.page.locator('main section [role=alert]').waitFor()
    },
  },
  {
    name: 'loan-details-pending',
    isLong: true,
    go: async (screen) => {
      await startPayment(screen, 1)
      await enter(screen, 1)
    },
  },
  {
    name: 'documents-pending',
    go: async (screen) => {
      await startPayment(screen, 1)
      await enter(screen, 1, '/active-loans/documents')
      await screen.page.locator('#pending-notice').waitFor()
    },
  },
  {
    name: 'payments-pending',
    isLong: true,
    go: async (screen) => {
      await startPayment(screen, 1)
      await enter(screen, 1, '/active-loans/payments')
      await screen.page.locator('#pending-payment').waitFor()
    },
  },
  {
    name: 'payments-pending-open',
    isLong: true,
    go: async (screen) => {
      await startPayment(screen, 1)
      await enter(screen, 1, '/active-loans/payments')
      for (const part of [0, 1]) await screen.page.locator('section:has(#pending-payment) summary').nth(part).click()
      await screen.page.locator('section:has(#pending-payment) ol').waitFor()
    },
  },
  {
    name: 'payment-trail',
    shows: '#completed-payments',
    isLong: true,
    go: async (screen) => {
      await enter(screen, 2, '/active-loans/payments')
      await screen.page.locator('section:has(#completed-payments) button[aria-expanded]').first().click()
      await screen.page.locator('section:has(#completed-payments) ol li').nth(5).waitFor()
    },
  },
  {
    name: 'payment-refunded',
    shows: '#completed-payments',
    isLong: true,
    go: async (screen) => {
      await enter(screen, 4, '/active-loans/payments')
      await screen.page.locator('section:has(#completed-payments) button[aria-expanded]').first().click()
      await screen.page.locator('section:has(#completed-payments) ol > li').nth(11).waitFor()
    },
  },
  {
    name: 'payment-returned',
    shows: '#completed-payments',
    isLong: true,
    go: async (screen) => {
      const linkId = await startPayment(screen, 7)
      const token = await screen.app.signIn(demoPhone(7))
      await screen.app.patch(`/payments/payment-link/cancel?payment_link_id=${linkId}`, {}, token)
      await screen.app.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'late_success', after_seconds: 0 })
      await until(async () => (await newestCompleted(screen, 7)).refund_status)
      await enter(screen, 7, '/active-loans/payments')
      await screen.page.locator('section:has(#completed-payments) button[aria-expanded]').first().waitFor()
    },
  },
  {
    name: 'cancel-payment',
    go: async (screen) => {
      await startPayment(screen, 1)
      await enter(screen, 1, '/active-loans/payments')
      await screen.page.locator('section:has(#pending-payment) button').nth(1).click()
      await screen.page.getByRole('dialog').waitFor()
    },
  },
  { name: 'waiting', go: async (screen) => enter(screen, 1, waitingPath(await startPayment(screen, 1))) },
  {
    name: 'waiting-offline',
    go: async (screen) => {
      await enter(screen, 1, waitingPath(await startPayment(screen, 1)))
      await screen.context.setOffline(true)
    },
  },
  {
    name: 'waiting-stop',
    go: async (screen) => {
      await enter(screen, 1, waitingPath(await startPayment(screen, 1)))
      await screen.page.locator('main button').last().click()
      await screen.page.getByRole('dialog').nth(1).waitFor()
    },
  },
  { name: 'waiting-timeout', go: async (screen) => (await enter(screen, 1, waitingPath(await startPayment(screen, 1))), timeOut(screen)) },
  {
    name: 'waiting-expired',
    go: async (screen) => {
      const linkId = await startPayment(screen, 7)
      await screen.app.sandbox(`/links/${linkId}/expire`, {})
      await enter(screen, 7, waitingPath(linkId))
      await result(screen)
    },
  },
  {
    name: 'waiting-cancelled',
    go: async (screen) => {
      const linkId = await startPayment(screen, 7)
      await screen.app.patch(`/payments/payment-link/cancel?payment_link_id=${linkId}`, {}, await screen.app.signIn('+919000000007'))
      await enter(screen, 7, waitingPath(linkId))
      await result(screen)
    },
  },
  {
    name: 'waiting-syncing',
    go: async (screen) => {
      await payThroughTheHostedPage(screen, 5, 'slow@razorpay')
      await screen.page.locator(syncing).waitFor()
    },
  },
  {
    name: 'waiting-delayed',
    after: 'waiting-syncing',
    go: async (screen) => {
      await enter(screen, 5, waitingPath(await startPayment(screen, 5)))
      await screen.page.locator(syncing).waitFor()
      await timeOut(screen)
    },
  },
  {
    name: 'payments-being-applied',
    after: 'waiting-syncing',
    isLong: true,
    go: (screen) => enter(screen, 5, '/active-loans/payments'),
  },
  {
    name: 'hosted-page',
    isForeign: true,
    go: async (screen) => {
      await enter(screen, 11, '/active-loans/payments')
      await toHostedPage(screen)
    },
  },
  {
    name: 'waiting-success',
    go: async (screen) => {
      await payThroughTheHostedPage(screen, 11, 'success@razorpay')
      await screen.page.getByRole('img', { name: /,/ }).waitFor()
    },
  },
  {
    name: 'waiting-paused',
    after: 'waiting-success',
    go: async (screen) => {
      await enter(screen, 11, waitingPath((await newestCompleted(screen, 11)).payment_link_id))
      await screen.page.getByRole('img', { name: /,/ }).waitFor()
      await screen.page.keyboard.press('Tab')
    },
  },
  {
    name: 'waiting-part-paid',
    after: 'waiting-success',
    go: async (screen) => {
      const { page } = screen
      await page.route('**/portal/payment-link/status*', (route) =>
        route.fulfill({ json: { status: 'partially_paid', rps_updated: true } }),
      )
      await page.route('**/portal/payments/*/trail', async (route) => {
        const answer = await route.fetch()
        const trail = (await answer.json()) as { payment_link: { amount: number } }
        await route.fulfill({ json: { ...trail, payment_link: { ...trail.payment_link, amount: trail.payment_link.amount + 10_000 } } })
      })
      await enter(screen, 11, waitingPath((await newestCompleted(screen, 11)).payment_link_id))
      await screen.page.getByRole('img', { name: /,/ }).waitFor()
    },
  },
  {
    name: 'payments-after-paying',
    after: 'waiting-success',
    isLong: true,
    go: (screen) => enter(screen, 11, '/active-loans/payments'),
  },
]

async function toHostedPage(screen: ScreenContext): Promise<void> {
  await screen.page
    .locator('input[value=next_emi], input[value=overdue]')
    .and(screen.page.locator(':enabled'))
    .first()
    .check({ force: true })
  await press(screen)
  await screen.page.getByRole('dialog').getByRole('button').last().click()
  await screen.page.locator('#vpa').waitFor()
}

async function payThroughTheHostedPage(screen: ScreenContext, person: number, upiId: string): Promise<void> {
  await enter(screen, person, '/active-loans/payments')
  await screen.page.locator('#pending-payment, .bottom-bar').first().waitFor()
  if (await screen.page.locator('#pending-payment').isVisible()) {
    await screen.page.locator('section:has(#pending-payment) button').last().click()
    await screen.page.getByRole('dialog').getByRole('button').last().click()
    await screen.page.locator('#vpa').waitFor()
  } else {
    await toHostedPage(screen)
  }
  await screen.page.locator('#vpa').fill(upiId)
  await screen.page.locator('.pay button').click()
  await screen.page.locator('.return a').click()
  await screen.page.waitForURL('**/waiting-for-payment?*')
}

/** The latest completed payment of a demo person's first loan. */
async function newestCompleted({ app }: ScreenContext, person: number): Promise<{ payment_link_id: string; refund_status?: string }> {
  const token = await app.signIn(demoPhone(person))
  const { body } = await app.get('/portal/loans-summary', token)
  const [loan] = body['loans'] as { lan: string }[]
  const { body: completed } = await app.get(`/portal/completed-payments?application_id=${loan?.lan}`, token)
  const [link] = completed['payment_links'] as { payment_link_id: string }[]
  return link ?? { payment_link_id: '' }
}

/** Advances the browser's clock by ninety seconds. */
async function timeOut(screen: ScreenContext): Promise<void> {
  await screen.page.locator('li[aria-current=step]').waitFor()
  await screen.page.clock.fastForward(95_000)
  await result(screen)
}

/** Waits for the result of the waiting page: no steps, a button. */
async function result(screen: ScreenContext): Promise<void> {
  await screen.page.locator('li[aria-current=step]').waitFor({ state: 'detached' })
  await screen.page.locator('main button').last().waitFor()
}
