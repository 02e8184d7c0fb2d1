import { demoPhone } from '#testkit/demo-town.ts'
import { until } from '#testkit/start-app.ts'
import { enter, failing, press, startPayment, waitingPath, type Stage, type State } from './stage.ts'

/** The second of three steps of waiting: the payment has arrived and is not posted yet. */
const syncing = 'li:nth-child(2)[aria-current=step]'

/**
 * A payment from the button to the receipt. Each state creates its data or names the state that it
 * follows.
 */
export const payingStates: readonly State[] = [
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
    name: 'loan-details-failed-to-start',
    go: async (stage) => {
      await enter(stage, 1)
      await failing(stage, '/portal/payment-link', 503)
      await stage.page.getByRole('button', { name: /^(Pay EMI|ईएमआई चुकाएँ)$/ }).click()
      await stage.page.locator('main section [role=alert]').waitFor()
    },
  },
  {
    name: 'loan-details-pending',
    isLong: true,
    go: async (stage) => {
      await startPayment(stage, 1)
      await enter(stage, 1)
    },
  },
  {
    name: 'documents-pending',
    go: async (stage) => {
      await startPayment(stage, 1)
      await enter(stage, 1, '/active-loans/documents')
      await stage.page.locator('#pending-notice').waitFor()
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
    shows: '#completed-payments',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 2, '/active-loans/payments')
      await stage.page.locator('section:has(#completed-payments) button[aria-expanded]').first().click()
      await stage.page.locator('section:has(#completed-payments) ol li').nth(5).waitFor()
    },
  },
  {
    name: 'payment-refunded',
    shows: '#completed-payments',
    isLong: true,
    go: async (stage) => {
      await enter(stage, 4, '/active-loans/payments')
      await stage.page.locator('section:has(#completed-payments) button[aria-expanded]').first().click()
      await stage.page.locator('section:has(#completed-payments) ol > li').nth(11).waitFor()
    },
  },
  {
    name: 'payment-returned',
    shows: '#completed-payments',
    isLong: true,
    go: async (stage) => {
      const linkId = await startPayment(stage, 7)
      const token = await stage.app.signIn(demoPhone(7))
      await stage.app.patch(`/payments/payment-link/cancel?payment_link_id=${linkId}`, {}, token)
      await stage.app.sandbox(`/links/${linkId}/pay`, { method: 'upi', outcome: 'late_success', after_seconds: 0 })
      await until(async () => (await newestCompleted(stage, 7)).refund_status)
      await enter(stage, 7, '/active-loans/payments')
      await stage.page.locator('section:has(#completed-payments) button[aria-expanded]').first().waitFor()
    },
  },
  {
    name: 'cancel-payment',
    go: async (stage) => {
      await startPayment(stage, 1)
      await enter(stage, 1, '/active-loans/payments')
      await stage.page.locator('section:has(#pending-payment) button').nth(1).click()
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
      await stage.page.locator(syncing).waitFor()
    },
  },
  {
    name: 'waiting-delayed',
    after: 'waiting-syncing',
    go: async (stage) => {
      await enter(stage, 5, waitingPath(await startPayment(stage, 5)))
      await stage.page.locator(syncing).waitFor()
      await timeOut(stage)
    },
  },
  {
    name: 'payments-being-applied',
    after: 'waiting-syncing',
    isLong: true,
    go: (stage) => enter(stage, 5, '/active-loans/payments'),
  },
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
  {
    name: 'waiting-paused',
    after: 'waiting-success',
    go: async (stage) => {
      await enter(stage, 11, waitingPath((await newestCompleted(stage, 11)).payment_link_id))
      await stage.page.getByRole('img', { name: /,/ }).waitFor()
      await stage.page.keyboard.press('Tab')
    },
  },
  {
    name: 'waiting-part-paid',
    after: 'waiting-success',
    go: async (stage) => {
      const { page } = stage
      await page.route('**/portal/payment-link/status*', (route) =>
        route.fulfill({ json: { status: 'partially_paid', rps_updated: true } }),
      )
      await page.route('**/portal/payments/*/trail', async (route) => {
        const answer = await route.fetch()
        const trail = (await answer.json()) as { payment_link: { amount: number } }
        await route.fulfill({ json: { ...trail, payment_link: { ...trail.payment_link, amount: trail.payment_link.amount + 10_000 } } })
      })
      await enter(stage, 11, waitingPath((await newestCompleted(stage, 11)).payment_link_id))
      await stage.page.getByRole('img', { name: /,/ }).waitFor()
    },
  },
  {
    name: 'payments-after-paying',
    after: 'waiting-success',
    isLong: true,
    go: (stage) => enter(stage, 11, '/active-loans/payments'),
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
  await stage.page.locator('.pay button').click()
  await stage.page.locator('.return a').click()
  await stage.page.waitForURL('**/waiting-for-payment?*')
}

/** The latest completed payment of a demo person's first loan. */
async function newestCompleted({ app }: Stage, person: number): Promise<{ payment_link_id: string; refund_status?: string }> {
  const token = await app.signIn(demoPhone(person))
  const { body } = await app.get('/portal/loans-summary', token)
  const [loan] = body['loans'] as { lan: string }[]
  const { body: completed } = await app.get(`/portal/completed-payments?application_id=${loan?.lan}`, token)
  const [link] = completed['payment_links'] as { payment_link_id: string }[]
  return link ?? { payment_link_id: '' }
}

/** Advances the browser's clock by ninety seconds. */
async function timeOut(stage: Stage): Promise<void> {
  await stage.page.locator('li[aria-current=step]').waitFor()
  await stage.page.clock.fastForward(95_000)
  await result(stage)
}

/** Waits for the result of the waiting page: no steps, a button. */
async function result(stage: Stage): Promise<void> {
  await stage.page.locator('li[aria-current=step]').waitFor({ state: 'detached' })
  await stage.page.locator('main button').last().waitFor()
}
