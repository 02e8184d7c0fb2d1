import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addCharges } from '#server/loan-changes/add-charge.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { advanceUntil } from '#testkit/advance-until.ts'
import { failStep } from '#testkit/hold-step.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import type { FailPointName } from '../config/fail-points.ts'
import { announce, confirmLater, expectRest, moveTo, newBorrower, startStage } from './stage.testing.ts'

/**
 * The work ends at every fail-point of autopay, as if its process were killed there. The kill -9 of
 * real processes at the same steps is `npm run torture -- autopay`.
 */

let app: App
beforeAll(async () => {
  app = await startStage({ settings: { KIST_FAIL: 'none' } })
})
afterEach(async () => {
  await expectRest(app)
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

const minutes = (count: number) => count * 60_000
/** Stops the work at the step, and waits until that has happened. */
async function strike(name: FailPointName, work: () => Promise<unknown>): Promise<void> {
  failStep(app, name)
  await work()
  await until(() => existsSync(join(app.context.config.failPoints.directory, `${name}.reached`)))
}
const requestsOf = async (orderId: string | null) => {
  const { payments } = (await app.sandbox('/state')) as { payments: { order_id: string }[] }
  return payments.filter(({ order_id }) => order_id === orderId)
}

describe('kill at every fail-point', () => {
  it.each(['autopay_mandate_stored', 'autopay_mandate_made'] as const)('%s: the next request sets up one mandate', async (name) => {
    // Later than the debits of the other tests, which would meet its own.
    const borrower = await newBorrower(app, { dueOn: toDay('2026-12-25') })
    await strike(name, async () => expect((await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'))).status).toBe(500))
    // A request that can still reach the provider blocks another.
    await app.clock.advance(minutes(3))
    const { reference } = await borrower.mandate()
    const { registrations } = (await app.sandbox('/state')) as { registrations: { receipt: string }[] }
    expect(registrations.filter(({ receipt }) => receipt === reference)).toHaveLength(name === 'autopay_mandate_made' ? 1 : 0)
    if (name === 'autopay_mandate_made')
      expect((await borrower.post('/portal/autopay/mandates', borrower.setUpRequest('upi'))).body).toMatchObject({ code: 'MandateExists' })
    else await borrower.setUp()
  })

  it.each(['autopay_announcement_decided', 'autopay_announcement_made'] as const)('%s: announced once', async (name) => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    failStep(app, name)
    const announced = await announceAfterFailure(borrower)
    const { orders } = (await app.sandbox('/state')) as { orders: { receipt: string }[] }
    expect(orders.filter(({ receipt }) => receipt === announced.reference)).toHaveLength(1)
    expect((await borrower.noticeKinds()).filter((kind) => kind === 'autopay_announced')).toHaveLength(1)
    // So that no later test meets this debit.
    expect((await borrower.post(`/portal/autopay/collections/${announced.collection_id}/skip`)).status).toBe(200)
  })

  it('autopay_debit_decided: never requested; another debit is announced', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await strike('autopay_debit_decided', () => moveTo(app, announced.debit_on, 6.01))
    await app.clock.advance(minutes(35))
    expect(await borrower.collection('failed')).toMatchObject({ reason: 'not_presented' })
    expect(await requestsOf(announced.order_id)).toEqual([])
    const again = (await borrower.collections()).find(({ status, due_on }) => status === 'planned' && due_on === announced.due_on)
    expect(again).toMatchObject({ attempt: 1 })
  })

  it('autopay_debit_requested: found by its order, and requested once', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await strike('autopay_debit_requested', () => moveTo(app, announced.debit_on, 6.01))
    await app.clock.advance(minutes(3))
    await borrower.collection('captured')
    expect(await requestsOf(announced.order_id)).toHaveLength(1)
    expect(await borrower.state()).toMatchObject({ duesPaise: 0n, creditPaise: 0n })
  })

  it.each(['autopay_debit_known', 'autopay_debit_posted'] as const)('%s: posted once', async (name) => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await confirmLater(app, announced)
    await moveTo(app, announced.debit_on, 6.01)
    await until(async () => (await borrower.collections())[0]?.provider_payment_id)
    await strike(name, () => app.clock.advance(minutes(3)))
    await app.clock.advance(minutes(10))
    const { provider_payment_id } = await borrower.collection('captured')
    expect((await borrower.payments()).filter((payment) => payment.provider_payment_id === provider_payment_id)).toHaveLength(1)
    expect(await borrower.state()).toMatchObject({ duesPaise: 0n, creditPaise: 0n })
  })
})

it.each([
  'nothing',
  'a charge',
  'the mandate',
  'a link',
  'all dues, and one look without an answer,',
  'all dues, its delivery unknown, and one look without an answer,',
] as const)(
  'a database restored to a time before a debit was requested, %s changed since: followed, not requested again',
  async (changed) => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await confirmLater(app, announced)
    await moveTo(app, announced.debit_on, 6.01)
    const requested = await until(async () => (await borrower.collections())[0]?.provider_payment_id)
    const { collection_id, status } = announced
    const isDeliveryKnown = !changed.includes('its delivery unknown')
    // Later than what the test changes first.
    const next_check_at = new Date(app.clock.now().getTime() + minutes(2))
    const before = {
      status,
      delivered_at: isDeliveryKnown ? announced.delivered_at : null,
      next_check_at,
      presented_at: null,
      value_date: null,
      expected_by: null,
      provider_payment_id: null,
      checks: 0,
    }
    await app.database.asSystem((sql) => sql.updateTable('collections').set(before).where('collection_id', '=', collection_id).execute())
    const write = (work: (loan: LoanTransaction) => Promise<unknown>) => withLockedLoan(app.database, borrower.key, app.clock.now(), work)
    if (changed === 'a charge')
      await write(async (loan) => {
        const charge = {
          chargeId: 'charge:late',
          date: announced.debit_on,
          chargeType: 'VISIT_CHARGE',
          amountPaise: rupeesToPaise(590),
          penal: false,
        }
        await addCharges(loan, [charge])
      })
    if (changed === 'a link') expect((await borrower.link()).status).toBe(200)
    const paidTwice = changed.startsWith('all dues')
    if (paidTwice) {
      const { amount_paise: amountPaise, debit_on: date } = announced
      const transfer = { mode: 'neft', reference: `UTR-${borrower.key.lan}`, amountPaise, date, purpose: 'PAY_EMI' } as const
      await write((loan) => recordPayment(loan, transfer))
      await app.sandbox('/faults', { call: isDeliveryKnown ? 'order_payments' : 'order', kind: 'status', status: 503, times: 3 })
    }
    // The provider then fails the debit that is under way.
    if (changed === 'the mandate') await app.sandbox(`/mandates/${(await borrower.mandate()).token_id}/cancel`, {})
    await advanceUntil(app, minutes(1), async () => (await borrower.collections())[0]?.provider_payment_id === requested)
    const outcome = changed === 'the mandate' ? 'failed' : 'captured'
    await advanceUntil(app, minutes(10), async () => (await borrower.collections())[0]?.status === outcome)
    expect(await requestsOf(announced.order_id)).toHaveLength(1)
    const unpaid = { 'a charge': rupeesToPaise(590), 'the mandate': announced.amount_paise }[changed as string] ?? 0n
    expect(await borrower.state()).toMatchObject({ duesPaise: unpaid, creditPaise: 0n })
    if (paidTwice) await until(async () => (await borrower.refunds()).length > 0)
    expect((await borrower.refunds()).map(({ amount_paise }) => amount_paise)).toEqual(paidTwice ? [announced.amount_paise] : [])
    const links = () =>
      app.database.asSystem((sql) =>
        sql.selectFrom('payment_links').select('status').where('loan_id', '=', borrower.key.loanId).orderBy('created_at', 'desc').execute(),
      )
    // The sweep cancels the link that the followed debit has marked.
    if (changed === 'a link') await advanceUntil(app, minutes(1), async () => (await links())[0]?.status === 'cancelled')
  },
)

it('a notice that is found delivered only when the debit’s time has come moves the debit, once its order is seen to have none', async () => {
  const borrower = await newBorrower(app)
  await borrower.setUp()
  const announced = await announce(app, borrower)
  const delivered_at = new Date((announced.present_at ?? app.clock.now()).getTime() - minutes(5))
  await app.database.asSystem((sql) =>
    sql.updateTable('collections').set({ delivered_at }).where('collection_id', '=', announced.collection_id).execute(),
  )
  await moveTo(app, announced.debit_on, 6.01)
  await advanceUntil(app, minutes(1), async () => (await borrower.collections())[0]?.debit_on !== announced.debit_on)
  const [moved] = await borrower.collections()
  expect(moved).toMatchObject({ status: 'announced', presented_at: null })
  expect((moved?.present_at ?? new Date(0)).getTime() - delivered_at.getTime()).toBeGreaterThanOrEqual(24 * minutes(60))
  expect(await requestsOf(announced.order_id)).toEqual([])
  expect((await borrower.post(`/portal/autopay/collections/${announced.collection_id}/skip`)).status).toBe(200)
})

/** The announcement is tried again some minutes later. */
async function announceAfterFailure(borrower: Awaited<ReturnType<typeof newBorrower>>) {
  const [planned] = await borrower.collections()
  await moveTo(app, '2026-11-28', 10.01)
  await advanceUntil(app, minutes(2), async () => (await borrower.collections())[0]?.status === 'announced')
  expect((await borrower.collections())[0]?.reference).toBe(planned?.reference)
  return borrower.collection('announced')
}
