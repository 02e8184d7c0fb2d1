import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'

let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
})
afterAll(() => app.close())

it('M16: the parameters of the return address do not mark a link as paid', async () => {
  const token = await app.signIn(demoPhone(5))
  const lan = 'KST-24-007790'
  const schedule = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
  const { amount } = (schedule.body['allowed_payments'] as { overdue_payment: { amount: number } }).overdue_payment
  const callback_url = 'http://localhost:3000/payments/waiting-for-payment'
  const link = await app.post(
    '/portal/payment-link',
    { amount, lead_id: lan, application_id: lan, purpose: 'OVERDUE', callback_url },
    token,
  )
  const id = String(link.body['payment_link_id'])
  const brought = new URLSearchParams({
    payment_link_id: id,
    razorpay_payment_id: 'pay_00000000000000',
    razorpay_payment_link_id: id,
    razorpay_payment_link_reference_id: 'x',
    razorpay_payment_link_status: 'paid',
    razorpay_signature: 'f'.repeat(64),
    status: 'paid',
    rps_updated: 'true',
  })
  expect((await app.get(`/portal/payment-link/status?${brought}`, token)).body).toMatchObject({ status: 'created', rps_updated: false })
  expect((await fetch(`${app.url}/payments/waiting-for-payment?${brought}`)).status).toBe(200)
  expect((await app.get(`/portal/payment-link/status?payment_link_id=${id}`, token)).body).toMatchObject({
    status: 'created',
    rps_updated: false,
  })
})
