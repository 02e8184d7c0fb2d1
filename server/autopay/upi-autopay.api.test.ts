import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '#testkit/start-app.ts'
import { announce, confirmLater, expectRest, moveTo, newBorrower, present, startStage } from './stage.testing.ts'

let app: App
beforeAll(async () => {
  app = await startStage()
})
afterEach(() => expectRest(app))
afterAll(() => app.close())

describe('UPI Autopay', () => {
  it('is set up, announced, debited, posted and receipted', async () => {
    const borrower = await newBorrower(app)
    expect((await borrower.autopay())['offer']).toMatchObject({
      methods: [
        { method: 'upi', max_amount: 6_000, limit: 99_999, pin_each_time: false },
        { method: 'emandate', max_amount: 6_000, limit: 10_000_000, pin_each_time: false },
      ],
      debit_day: 30,
      first_debit_on: '2026-11-30',
    })
    await borrower.setUp()
    expect(await borrower.autopay()).toMatchObject({
      mandate: { status: 'active', account_hint: '@razorpay', max_amount: 6_000 },
      next_collection: { status: 'planned', amount: 4_708, due_date: '2026-11-30', debit_on: '2026-11-30' },
    })
    const announced = await announce(app, borrower)
    expect(announced.present_at).toEqual(new Date('2026-11-30T00:30:00Z'))
    await confirmLater(app, announced)
    await present(app, borrower)
    expect((await borrower.link()).body).toMatchObject({ code: 'AutopayInProgress', expected_by: expect.any(String) })
    const skipped = await borrower.post(`/portal/autopay/collections/${announced.collection_id}/skip`)
    expect([skipped.status, skipped.body['code']]).toEqual([409, 'AutopayInProgress'])
    await app.clock.advance(120_000)
    await borrower.collection('captured')
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, dpd: 0 })
    const [shown] = (await borrower.collectionsOnWire()).filter(({ status }) => status === 'captured')
    const steps = (shown?.['steps'] ?? []) as { step: string }[]
    expect(steps.map(({ step }) => step)).toEqual(['announced', 'delivered', 'presented', 'paid', 'received', 'applied', 'receipt'])
    expect(await borrower.noticeKinds()).toEqual(['autopay_announced', 'autopay_debited'])
    await moveTo(app, '2026-12-01', 12)
  })
})
