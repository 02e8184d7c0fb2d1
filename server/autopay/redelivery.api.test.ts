import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addDays, toDay, type Day } from '#domain/calendar.ts'
import { holdStep } from '#testkit/hold-step.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import { createLog } from '../log.ts'
import { followAnnounced } from './follow-announced.ts'
import { expectRest, moveTo, newBorrower, present, startStage, type Borrower } from './stage.testing.ts'

let app: App
const logged: { msg: string; reference?: string; reason?: string }[] = []
beforeAll(async () => {
  const log = createLog({ logLevel: 'info', production: true }, { write: (line) => logged.push(JSON.parse(line)) })
  app = await startStage({ settings: { KIST_FAIL: 'none' }, log })
})
afterEach(async () => {
  logged.length = 0
  await expectRest(app)
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

/** A debit that was announced, and whose notification reaches nobody. */
async function undelivered(): Promise<Borrower> {
  const borrower = await newBorrower(app)
  await borrower.setUp()
  await app.sandbox('/notifications/next', { outcome: 'failed' })
  await moveTo(app, '2026-11-28', 10.01)
  await borrower.collection('announced')
  return borrower
}

/** Waits for the second order, which is made from 05:00 of the day before the debit. */
async function orderedAgain(borrower: Borrower, debitOn: Day) {
  const { order_id: first } = await borrower.collection('announced')
  await moveTo(app, addDays(debitOn, -1), 4.9)
  expect(await borrower.collection('announced')).toMatchObject({ order_id: first, orders: 1, delivered_at: null })
  await moveTo(app, addDays(debitOn, -1), 5.01)
  return until(async () => {
    const [row] = await borrower.collections()
    return row?.order_id && row.order_id !== first ? { first, row } : null
  })
}

describe('a UPI notification that reaches nobody', () => {
  it('by 05:00 of the day before: a new order, and the debit 25 hours after its delivery', async () => {
    const borrower = await undelivered()
    const { first, row } = await orderedAgain(borrower, toDay('2026-11-30'))
    expect(row).toMatchObject({ orders: 2, debit_on: '2026-11-30' })
    await app.clock.advance(11 * 60_000)
    const delivered = await until(async () => (await borrower.collections()).find(({ delivered_at }) => delivered_at !== null))
    const waitMs = delivered.present_at!.getTime() - delivered.delivered_at!.getTime()
    expect(waitMs).toBeGreaterThanOrEqual(24 * 3_600_000)
    expect(waitMs).toBeLessThanOrEqual(25 * 3_600_000)
    await present(app, borrower)
    await app.clock.advance(120_000)
    expect(await borrower.collection('captured')).toMatchObject({ value_date: '2026-11-30' })
    const { payments } = (await app.sandbox('/state')) as { payments: { order_id: string }[] }
    expect(payments.filter(({ order_id }) => order_id === first || order_id === row.order_id)).toMatchObject([{ order_id: row.order_id }])
  })

  it('an event while the second order is asked for: no other order', async () => {
    const borrower = await undelivered()
    const step = holdStep(app, 'autopay_announcement_decided')
    await moveTo(app, '2026-11-29', 5.01)
    await step.reached()
    const asked = await borrower.collection('announced')
    expect(asked).toMatchObject({ orders: 2, order_id: null })
    const listOrders = async () => {
      const { orders } = (await app.sandbox('/state')) as { orders: { receipt: string }[] }
      return orders.filter(({ receipt }) => receipt === `${asked.reference}-2`)
    }
    await followAnnounced(app.context, asked)
    expect(await listOrders()).toEqual([])
    step.release()
    await until(async () => (await borrower.collection('announced')).order_id)
    expect(await listOrders()).toHaveLength(1)
  })

  it('announced on the day before: no other order until two hours later', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    await app.database.asSystem((sql) =>
      sql
        .updateTable('collections')
        .set({ next_check_at: new Date('2026-11-29T06:30:00Z') })
        .where('loan_id', '=', borrower.key.loanId)
        .execute(),
    )
    await app.sandbox('/notifications/next', { outcome: 'failed' })
    await moveTo(app, '2026-11-29', 12.01)
    const { order_id: first } = await borrower.collection('announced')
    for (const hour of [12.5, 13.5]) {
      await moveTo(app, '2026-11-29', hour)
      await until(async () => (await borrower.collection('announced')).next_check_at > app.clock.now())
    }
    expect(await borrower.collection('announced')).toMatchObject({ order_id: first, orders: 1, debit_on: '2026-11-30' })
    await moveTo(app, '2026-11-29', 14.1)
    await until(async () => (await borrower.collection('announced')).orders === 2)
  })

  it('and the provider makes no second order for days: nothing is debited after five days, and the borrower is told', async () => {
    const borrower = await undelivered()
    await app.sandbox('/faults', { call: 'orders', kind: 'status', status: 503, times: 'forever' })
    await moveTo(app, '2026-11-29', 5.01)
    await until(async () => (await borrower.collection('announced')).orders === 2)
    await moveTo(app, '2026-12-03', 9.9)
    const { reference } = await borrower.collection('announced')
    expect(logged).toContainEqual(expect.objectContaining({ msg: 'announcement not confirmed by provider', reference }))
    expect(await borrower.collection('announced')).toMatchObject({ order_id: null })
    await moveTo(app, '2026-12-03', 10.1)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
    await app.sandbox('/faults', { clear: true })
  })

  it('and the provider refuses a second order: the debit is skipped with a log line, and the borrower is told', async () => {
    const borrower = await undelivered()
    await app.sandbox('/faults', { call: 'order_create', kind: 'status', status: 400 })
    await moveTo(app, '2026-11-29', 5.01)
    const { reference } = await borrower.collection('skipped')
    const refused = { msg: 'provider refused to announce a debit', reference, reason: expect.any(String) }
    expect(logged).toContainEqual(expect.objectContaining(refused))
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'mandate' }))
  })

  it('and the mandate has no token: no order without it, and an error instead', async () => {
    const borrower = await undelivered()
    const setToken = (token_id: string | null) =>
      app.database.asSystem((sql) => sql.updateTable('mandates').set({ token_id }).where('loan_id', '=', borrower.key.loanId).execute())
    const { token_id: token } = await borrower.mandate()
    await setToken(null)
    await moveTo(app, '2026-11-29', 5.01)
    await expect(followAnnounced(app.context, await borrower.collection('announced'))).rejects.toThrow('has no token')
    expect(await borrower.collection('announced')).toMatchObject({ orders: 1 })
    await setToken(token)
    await moveTo(app, '2026-11-29', 5.1)
    await until(async () => (await borrower.collection('announced')).orders === 2)
  })

  it('and the instalment is paid by hand: the debit is skipped at once', async () => {
    const borrower = await undelivered()
    await borrower.payLink()
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'paid', orders: 1 })
  })

  it('neither does the second order: nothing is debited, and the borrower is notified', async () => {
    const borrower = await undelivered()
    await app.sandbox('/notifications/next', { outcome: 'failed' })
    const { row } = await orderedAgain(borrower, toDay('2026-11-30'))
    await moveTo(app, row.debit_on, 7)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'mandate' }))
  })
})
