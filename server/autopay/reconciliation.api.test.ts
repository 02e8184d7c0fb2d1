import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { dayInIndia } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import type { ListedPayment } from '../adapters/payment-gateway/payment-gateway.ts'
import { reconcileDay } from '../payments/reconciliation/reconcile-day.ts'
import { announce, expectRest, moveTo, newBorrower, park, present, startStage } from './stage.testing.ts'
import { syncRecurringPayment } from './sync-by-name.ts'

let app: App
beforeAll(async () => {
  app = await startStage()
})
afterEach(async () => {
  await expectRest(app)
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

const reconcile = () => reconcileDay(app.context, dayInIndia(app.clock.now()), syncRecurringPayment)

describe('reconciliation of autopay', () => {
  it('registration (KM…): its ₹1 and the refund of it are matched, and posted to no loan', async () => {
    const borrower = await newBorrower(app)
    const before = (await borrower.payments()).length
    await borrower.setUp('upi')
    await app.clock.advance(3_600_000)
    const { reference } = await borrower.mandate()
    const { payments, orders } = (await app.sandbox('/state')) as {
      payments: { order_id: string; amount: number; amount_refunded: number }[]
      orders: { id: string; receipt: string }[]
    }
    const order = orders.find(({ receipt }) => receipt === reference)
    expect(payments.find(({ order_id }) => order_id === order?.id)).toMatchObject({ amount: 100, amount_refunded: 100 })
    await app.sandbox('/settle', {})
    expect(await reconcile()).toMatchObject({ differences: 0 })
    expect(await borrower.payments()).toHaveLength(before)
    expect(await borrower.reviews()).toEqual([])
    expect(await borrower.state()).toMatchObject({ creditPaise: 0n })
  })

  it('registration whose ₹1 was not sent back after three days: for a person, once', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('upi')
    const { reference } = await borrower.mandate()
    const kept = (days: number): ListedPayment => ({
      reference,
      paymentLinkId: null,
      providerPaymentId: `pay_${reference.slice(-14)}`,
      amountPaise: paise(100n),
      currency: 'INR',
      captured: true,
      refundedPaise: paise(0n),
      method: 'upi',
      instrument: null,
      bankReference: null,
      feePaise: null,
      taxPaise: null,
      paidAt: new Date(app.clock.now().getTime() - days * 86_400_000),
    })
    const kinds = async () =>
      (
        await app.database.asSystem((sql) =>
          sql.selectFrom('payment_reviews').select('kind').where('borrower_id', '=', borrower.key.borrowerId).execute(),
        )
      ).map(({ kind }) => kind)
    expect(await syncRecurringPayment(app.context, kept(2))).toMatchObject({ kind: 'registration', loanId: borrower.key.loanId })
    expect(await kinds()).toEqual([])
    for (const days of [4, 5]) await syncRecurringPayment(app.context, kept(days))
    expect(await kinds()).toEqual(['registration_kept'])
  })

  it('a late success that waits for a payment link: no unknown payment, and matched once it is posted', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('upi')
    const announced = await announce(app, borrower)
    const bank = { outcome: 'late_success', reason: 'insufficient_funds', after_seconds: 20 * 60 }
    await app.sandbox('/debits/next', { receipt: announced.reference, ...bank })
    await present(app, borrower)
    await app.clock.advance(180_000)
    const { provider_payment_id: paymentId } = await borrower.collection('failed')
    const link = String((await borrower.link()).body['payment_link_id'])
    await app.clock.advance(25 * 60_000)
    const reviews = () =>
      app.database.asSystem((sql) =>
        sql.selectFrom('payment_reviews').select(['kind', 'resolved_at']).where('about', 'like', `%:${paymentId}`).execute(),
      )
    const found = await until(async () => (await reconcile(), (await reviews()).length > 0 ? reviews() : null))
    expect(found).toEqual([{ kind: 'not_reconciled', resolved_at: null }])
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, await borrower.session())
    await app.clock.advance(120_000)
    await borrower.collection('captured')
    await reconcile()
    expect(await reviews()).toEqual([{ kind: 'not_reconciled', resolved_at: expect.any(Date) }])
  })

  it('a debit of which no event and no sweep tells is found, and posted once', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('upi')
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    await present(app, borrower)
    await park(app, announced)
    await moveTo(app, announced.debit_on, 12)
    expect((await borrower.collections())[0]).toMatchObject({ status: 'presented' })
    expect(await reconcile()).toMatchObject({ differences: 0 })
    await borrower.collection('captured')
    expect(await reconcile()).toMatchObject({ differences: 0 })
    expect(await borrower.state()).toMatchObject({ duesPaise: 0n, creditPaise: 0n })
    await app.sandbox('/faults', { clear: true })
  })
})
