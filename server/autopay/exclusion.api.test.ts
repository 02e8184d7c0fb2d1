import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addDays, addMonths, dayInIndia, toDay } from '#domain/calendar.ts'
import { holdStep } from '#testkit/hold-step.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { selectDueCollections, type CollectionRow } from './collection-store.ts'
import { withMandate } from './collection-transaction.ts'
import { requestMandateEnd } from './end-mandate.ts'
import { followAnnounced } from './follow-announced.ts'
import { presentCollection } from './present-collection.ts'
import { announce, confirmLater, expectRest, moveTo, newBorrower, park, present, startStage, type Borrower } from './stage.testing.ts'
import { checkCollection, sweepDebits } from './sweep-debits.ts'

let app: App
beforeAll(async () => {
  app = await startStage({ settings: { KIST_FAIL: 'none' } })
})
afterEach(async () => {
  await expectRest(app)
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

const dueOn = toDay('2026-11-30')

const recurringPayments = async (orderId: string | null) => {
  const { payments } = (await app.sandbox('/state')) as { payments: { order_id: string }[] }
  return payments.filter(({ order_id }) => order_id === orderId)
}

/** Moves to four days before the debit: its cap is checked by then, and it is not announced yet. */
const moveBeforeAnnouncement = async (borrower: Borrower): Promise<CollectionRow> => {
  const [planned] = await borrower.collections()
  await moveTo(app, addDays(planned!.debit_on, -4), 12)
  return planned!
}

describe('a debit and a payment by hand', () => {
  it('link paid at 05:59: the debit is skipped, and the borrower is told', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await moveTo(app, announced.debit_on, 5.95)
    await borrower.payLink()
    await moveTo(app, announced.debit_on, 6.01)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'paid', presented_at: null })
    expect(await recurringPayments(announced.order_id)).toEqual([])
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'paid' }))
    expect((await borrower.collections()).at(-1)).toMatchObject({ status: 'planned', due_on: addMonths(dueOn, 1) })
  })

  it('link paid on the day before: the debit is skipped at once, and the card shows the next', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await moveTo(app, addDays(announced.debit_on, -1), 12)
    await borrower.payLink()
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'paid', presented_at: null })
    expect(dayInIndia(app.clock.now())).toBe(addDays(announced.debit_on, -1))
    expect(await borrower.autopay()).toMatchObject({ next_collection: { status: 'planned', due_date: addMonths(dueOn, 1) } })
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'paid' }))
  })

  it('link paid before the announcement: the card shows no debit of what is paid', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    await moveBeforeAnnouncement(borrower)
    expect((await borrower.autopay())['next_collection']).toMatchObject({ amount: 4_708 })
    await borrower.payLink()
    expect(await borrower.collection('planned')).toMatchObject({ amount_paise: 470_800n })
    expect((await borrower.autopay())['next_collection']).toBeNull()
  })

  it('a transfer that bounces before the announcement: announced, because it is due again', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    await transfer(borrower, 4_708)
    const planned = await moveBeforeAnnouncement(borrower)
    await until(async () => (await borrower.collections())[0]!.next_check_at > app.clock.now())
    const { borrowerId, loanId } = borrower.key
    await withLockedLoan(app.database, { borrowerId, loanId }, app.clock.now(), (loan) =>
      reversePayment(loan, 'neft', utrOf(borrower, 4_708)),
    )
    expect(await announce(app, borrower)).toMatchObject({ collection_id: planned.collection_id, amount_paise: 470_800n })
  })

  it('planned with another amount than is due now, and autopay ends: the notice has what is due', async () => {
    const borrower = await newBorrower(app)
    const mandate = await borrower.setUp()
    await app.database.asSystem((sql) =>
      sql
        .updateTable('collections')
        .set({ amount_paise: 440_000n as never })
        .where('mandate_id', '=', mandate.mandate_id)
        .execute(),
    )
    await withMandate(app.context, mandate, (step) => requestMandateEnd(step, 'borrower'))
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', amount_paise: 470_800n })
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', amount: 4_708 }))
  })

  it('paused, and paid by hand before the announcement: skipped, and nobody is asked to pay again', async () => {
    const borrower = await newBorrower(app)
    const { mandate_id } = await borrower.setUp()
    const planned = await moveBeforeAnnouncement(borrower)
    expect((await borrower.post(`/portal/autopay/mandates/${mandate_id}/pause`)).status).toBe(200)
    await borrower.payLink()
    await moveTo(app, addDays(planned.debit_on, -1), 5.1)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'paid' })
    expect(await borrower.noticeKinds()).not.toContain('autopay_skipped')
  })

  it('paid by hand before the announcement, and autopay ended: skipped, and nobody is asked to pay again', async () => {
    const borrower = await newBorrower(app)
    const mandate = await borrower.setUp()
    await moveBeforeAnnouncement(borrower)
    await borrower.payLink()
    await withMandate(app.context, mandate, (step) => requestMandateEnd(step, 'borrower'))
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'paid' })
    expect(await borrower.noticeKinds()).not.toContain('autopay_skipped')
  })

  it('a loan whose dues cannot be computed: waits, and no other day is announced', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await park(app, announced)
    await moveTo(app, announced.debit_on, 6.01)
    const { key } = borrower
    const sanction = (paise: bigint) =>
      app.database.asSystem((sql) =>
        sql
          .updateTable('loans')
          .set({ sanctioned_paise: paise as never })
          .where('loan_id', '=', key.loanId)
          .execute(),
      )
    const { loan } = await app.database.asBorrower(key.borrowerId, (sql) => lockOwnLoan(sql, key.borrowerId, key.loanId))
    await sanction(100n)
    expect((await borrower.state()).status).toBe('UNKNOWN')
    await moveTo(app, addDays(announced.debit_on, 1), 6.01)
    await presentCollection(app.context, announced)
    expect((await borrower.collections())[0]).toMatchObject({ status: 'announced', debit_on: announced.debit_on })
    await moveTo(app, addDays(announced.debit_on, 6), 6.01)
    await presentCollection(app.context, announced)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
    expect((await borrower.noticeKinds()).filter((kind) => kind === 'autopay_announced')).toHaveLength(1)
    await sanction(loan.sanctioned_paise)
  })

  it('the instalment rises above the cap after the plan: the card shows what would be due', async () => {
    const borrower = await newBorrower(app)
    const { mandate_id: id } = await borrower.setUp()
    await app.database.asSystem(async (sql) => {
      await sql
        .updateTable('mandates')
        .set({ max_amount_paise: 450_000n as never })
        .where('mandate_id', '=', id)
        .execute()
      await sql
        .updateTable('collections')
        .set({ amount_paise: 440_000n as never })
        .where('mandate_id', '=', id)
        .execute()
    })
    expect(await borrower.autopay()).toMatchObject({ mandate: { debit_limit: 4_500 }, next_collection: { amount: 4_708 } })
    await moveBeforeAnnouncement(borrower)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'cap', amount_paise: 470_800n })
  })

  it('an open link at 06:00: the debit waits for its end, and is presented after it', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await moveTo(app, announced.debit_on, 5.95)
    const { body } = await borrower.link()
    await moveTo(app, announced.debit_on, 6.2)
    expect((await borrower.collections())[0]).toMatchObject({ status: 'announced' })
    const cancelled = await app.patch(
      `/payments/payment-link/cancel?payment_link_id=${String(body['payment_link_id'])}`,
      {},
      await borrower.session(),
    )
    expect(cancelled.status).toBe(200)
    await confirmLater(app, announced)
    await app.clock.advance(120_000)
    await borrower.collection('presented')
    expect((await borrower.link()).body).toMatchObject({ code: 'AutopayInProgress' })
  })

  it('money of a closed link that is not posted yet: the debit waits for the posting', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await park(app, announced)
    await moveTo(app, announced.debit_on, 6.01)
    const id = String((await borrower.link()).body['payment_link_id'])
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${id}`, {}, await borrower.session())
    const posting = holdStep(app, 'capture_stored')
    await app.sandbox(`/links/${id}/pay`, { method: 'upi', outcome: 'late_success', after_seconds: 0 })
    await app.clock.advance(1_000)
    await posting.reached()
    await presentCollection(app.context, announced)
    expect(await borrower.collection('announced')).toMatchObject({ presented_at: null })
    posting.release()
    await until(async () => (await borrower.payments()).some(({ transaction_id }) => transaction_id !== null))
    await presentCollection(app.context, announced)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'paid', presented_at: null })
  })

  it('a link that stays open for days: the debit is skipped, and the borrower is told', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await park(app, announced)
    await moveTo(app, announced.debit_on, 5.95)
    await borrower.link()
    await app.database.asSystem((sql) =>
      sql
        .updateTable('collections')
        .set({ announced_at: new Date(announced.announced_at!.getTime() - 2 * 86_400_000) })
        .where('collection_id', '=', announced.collection_id)
        .execute(),
    )
    await moveTo(app, announced.debit_on, 6.01)
    await followAnnounced(app.context, announced)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'link_open', presented_at: null })
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'link_open' }))
  })

  it('an older instalment is paid by hand: the next of the same amount is announced anew, and not sent back', async () => {
    const unpaidOn = addMonths(dueOn, -1)
    const loan = { firstDueDate: addMonths(dueOn, -5), disbursals: [{ date: addMonths(dueOn, -6), rupees: 100_000 }] }
    const borrower = await newBorrower(app, { loan })
    await borrower.setUp()
    const announced = await announce(app, borrower)
    expect(announced).toMatchObject({ due_on: dueOn, parts: [{ due_date: unpaidOn }] })
    await borrower.payLink('OVERDUE')
    await moveTo(app, announced.debit_on, 6.01)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'amount_changed' })
    const anew = await announcedAnew(borrower)
    expect(anew).toMatchObject({ amount_paise: announced.amount_paise, parts: [{ due_date: dueOn }] })
    await present(app, borrower, 1)
    await app.clock.advance(120_000)
    await borrower.collection('captured', 1)
    expect(await borrower.refunds()).toEqual([])
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n })
  })

  it('a process that slept between the decision and the request does not ask late', async () => {
    const { borrower, announced, step } = await decided()
    await app.clock.advance(35 * 60_000)
    // Another process looks meanwhile, and finds that the provider has no request.
    await checkCollection(app.context, await borrower.collection('presented'))
    expect(await borrower.collection('failed')).toMatchObject({ reason: 'not_presented' })
    step.release()
    await moveTo(app, announced.debit_on, 9)
    expect(await recurringPayments(announced.order_id)).toEqual([])
  })

  it('two workers present at once: one debit', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await park(app, announced)
    await moveTo(app, announced.debit_on, 6.01)
    await Promise.all([1, 2, 3].map(() => presentCollection(app.context, announced)))
    expect(await recurringPayments(announced.order_id)).toHaveLength(1)
    // Over, so that no later test finds it due.
    await app.clock.advance(120_000)
    await borrower.collection('captured')
  })

  it('eNACH: a worker whose order comes late does not replace the order that was presented', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('emandate')
    const announced = await announce(app, borrower)
    await park(app, announced)
    await moveTo(app, announced.debit_on, 7.01)
    const { gateway } = app.context
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const createDebitOrder: typeof gateway.createDebitOrder = async (order) => {
      asked.resolve()
      await released.promise
      return gateway.createDebitOrder(order)
    }
    const late = presentCollection({ ...app.context, gateway: { ...gateway, createDebitOrder } }, announced)
    await asked.promise
    await presentCollection(app.context, announced)
    const { order_id: orderId } = await borrower.collection('presented')
    released.resolve()
    await late
    expect((await borrower.collections())[0]).toMatchObject({ status: 'presented', order_id: orderId })
    expect(await recurringPayments(orderId)).toHaveLength(1)
  })

  it('a debit with an error is looked at again later, and its loop does not run without pause', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await moveTo(app, announced.debit_on, 5.9)
    let looks = 0
    const fetchToken = () => {
      looks += 1
      return Promise.reject(new Error('a defect'))
    }
    // For this worker the debit is due, for the portal's own not yet.
    const clock = { now: () => new Date(app.clock.now().getTime() + 10 * 60_000) }
    const worker = { ...app.context, clock, gateway: { ...app.context.gateway, fetchToken } }
    await expect(sweepDebits(worker)).rejects.toThrow('1 of 1 debits could not be checked')
    expect([await sweepDebits(worker), looks]).toEqual([0, 1])
    await moveTo(app, announced.debit_on, 6.5)
    await until(async () => (await recurringPayments(announced.order_id)).length === 1)
  })

  it('a debit with an error counts as a failed run of its loop', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    const setParts = (parts: unknown) =>
      app.database.asSystem((sql) =>
        sql
          .updateTable('collections')
          .set({ parts: JSON.stringify(parts) })
          .where('collection_id', '=', announced.collection_id)
          .execute(),
      )
    await moveTo(app, announced.debit_on, 5.9)
    await setParts({})
    await moveTo(app, announced.debit_on, 6.01)
    await until(async () => (await app.context.metrics.text()).includes('kist_background_failures_total{loop="autopay debits"}'))
    await setParts(announced.parts)
    await moveTo(app, announced.debit_on, 6.5)
    await until(async () => (await recurringPayments(announced.order_id)).length === 1)
  })

  it('clock ±10 min: three workers follow one debit, and present it once, a day after its notice', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await park(app, announced)
    await moveTo(app, announced.debit_on, 5.9)
    const wrongBy = (wrongMinutes: number) => ({
      ...app.context,
      clock: { now: () => new Date(app.clock.now().getTime() + wrongMinutes * 60_000) },
    })
    await followAnnounced(wrongBy(-10), announced)
    expect((await borrower.collections())[0]).toMatchObject({ status: 'announced' })
    await Promise.all([-10, 0, 10].map((wrongMinutes) => followAnnounced(wrongBy(wrongMinutes), announced)))
    const presented = await borrower.collection('presented')
    expect(await recurringPayments(announced.order_id)).toHaveLength(1)
    expect(app.clock.now().getTime() - announced.delivered_at!.getTime()).toBeGreaterThan(24 * 3_600_000)
    // A slow clock has not reached the presentation, a fast one finds no outcome.
    for (const wrongMinutes of [-10, 10]) await checkCollection(wrongBy(wrongMinutes), presented)
    expect((await borrower.collections())[0]).toMatchObject({ status: 'presented' })
    expect((await borrower.link()).body).toMatchObject({ code: 'AutopayInProgress' })
  })

  it('presented days late: told 24 hours before, and debits no late charge, which its own value date takes back', async () => {
    const borrower = await newBorrower(app, { loan: { product: 'no_grace' } })
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'token', kind: 'status', status: 503, times: 'forever' })
    await moveTo(app, announced.debit_on, 6.01)
    await moveTo(app, addDays(announced.debit_on, 1), 6.01)
    expect((await borrower.state()).derivedCharges).toHaveLength(1)
    await app.sandbox('/faults', { clear: true })
    await app.clock.advance(120_000)
    const moved = await until(async () => {
      const [row] = await borrower.collections()
      return row && row.debit_on > announced.debit_on ? row : null
    })
    expect(moved).toMatchObject({ status: 'announced', debit_on: addDays(announced.debit_on, 2) })
    await present(app, borrower)
    expect(await borrower.collection('presented')).toMatchObject({ amount_paise: announced.amount_paise, value_date: announced.due_on })
    await app.clock.advance(120_000)
    await borrower.collection('captured')
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n, derivedCharges: [] })
  })

  it('part payment after the announcement: what is debited is what is due', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await borrower.payLink('PART_PAYMENT__REDUCE_EMI')
    await confirmLater(app, announced)
    await moveTo(app, announced.debit_on, 6.01)
    // The open row keeps its amount, so what is due is what was announced.
    const debited = await borrower.collection('presented')
    expect(debited.amount_paise).toBe((await borrower.state()).duesPaise)
    await app.clock.advance(120_000)
    await borrower.collection('captured')
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n })
    // The plan can be older than the outcome; what is shown is computed now.
    const next = await until(async () => (await borrower.collectionsOnWire()).find(({ status }) => status === 'planned'))
    expect(Number(next['amount'])).toBeLessThan(Number(announced.amount_paise) / 100)
  })

  it('a part of the instalment paid by transfer: announced anew with the rest, 24 hours before its debit', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await transfer(borrower, 1_000)
    await moveTo(app, announced.debit_on, 6.01)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'amount_changed' })
    const delivered = await announcedAnew(borrower)
    expect(delivered).toMatchObject({ due_on: announced.due_on, attempt: 1, amount_paise: announced.amount_paise - 100_000n })
    expect(delivered.present_at!.getTime() - delivered.delivered_at!.getTime()).toBeGreaterThanOrEqual(24 * 3_600_000)
    await present(app, borrower, 1)
    await app.clock.advance(120_000)
    await borrower.collection('captured', 1)
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, dpd: 0, derivedCharges: [] })
  })

  describe('a retry on the last of 30 days', () => {
    /** Makes a collection a retry whose first debit was so many days before its own day. */
    const makeRetry = ({ collection_id: id, debit_on: debitOn, status }: CollectionRow, days: number) =>
      app.database.asSystem((sql) =>
        sql
          .updateTable('collections')
          // As one that was planned while nothing was due.
          .set({ attempt: 2, first_debit_on: addDays(debitOn, -days), ...(status === 'planned' && { amount_paise: 1n as never }) })
          .where('collection_id', '=', id)
          .execute(),
      )
    const expectSkipped = async (borrower: Borrower) => {
      expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', presented_at: null })
      expect((await borrower.collections()).filter(({ due_on }) => due_on === dueOn)).toHaveLength(1)
      expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'mandate' }))
    }

    it('that is announced a day late: not announced', async () => {
      const borrower = await newBorrower(app)
      await borrower.setUp()
      const [planned] = await borrower.collections()
      await makeRetry(planned!, 31)
      await moveTo(app, addDays(planned!.debit_on, -2), 10.01)
      await expectSkipped(borrower)
      expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', amount: 4_708 }))
    })

    it('that cannot be presented on its day: announced for no other', async () => {
      const borrower = await newBorrower(app)
      await borrower.setUp('emandate')
      const announced = await announce(app, borrower)
      await makeRetry(announced, 30)
      await moveTo(app, announced.debit_on, 9.5)
      await expectSkipped(borrower)
    })

    it('of which a part was paid by transfer: not announced anew', async () => {
      const borrower = await newBorrower(app)
      await borrower.setUp()
      const announced = await announce(app, borrower)
      await makeRetry(announced, 30)
      await transfer(borrower, 1_000)
      await moveTo(app, announced.debit_on, 6.01)
      await expectSkipped(borrower)
    })
  })

  it('eNACH past its hour, and paid meanwhile: skipped, and no other day is announced', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp('emandate')
    const announced = await announce(app, borrower)
    await transfer(borrower, Number(announced.amount_paise) / 100)
    await moveTo(app, announced.debit_on, 9.5)
    expect(await borrower.collection('skipped')).toMatchObject({ reason: 'paid', debit_on: announced.debit_on })
    expect((await borrower.noticeKinds()).filter((kind) => kind === 'autopay_announced')).toHaveLength(1)
  })

  it('a debit that is over is looked at no more, whatever an earlier check wrote', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await transfer(borrower, Number(announced.amount_paise) / 100)
    await moveTo(app, announced.debit_on, 6.01)
    const { collection_id: id } = await borrower.collection('skipped')
    await app.database.asSystem((sql) =>
      sql.updateTable('collections').set({ next_check_at: app.clock.now() }).where('collection_id', '=', id).execute(),
    )
    const due = await app.database.asSystem((sql) => selectDueCollections(sql, app.clock.now(), 100).execute())
    expect(due.map(({ collection_id }) => collection_id)).not.toContain(id)
  })

  it('foreclosure while presented: refused by link, and money of a transfer sends the debit back whole', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await app.sandbox('/debits/next', { outcome: 'success', receipt: announced.reference, after_seconds: 3_600 })
    await present(app, borrower)
    expect((await borrower.link('FORECLOSURE')).body).toMatchObject({ code: 'AutopayInProgress' })
    const payoff = (await borrower.state()).allowed.foreclosure!.amountPaise
    // The provider ends the mandate after the debit: a bank refuses debits of one that is over.
    await app.sandbox('/faults', { call: 'token_cancel', kind: 'status', status: 503, times: 'forever' })
    await transfer(borrower, Number(payoff) / 100, 'FORECLOSURE')
    expect((await borrower.state()).status).toBe('CLOSED')
    await app.clock.advance(2 * 3_600_000)
    await borrower.collection('captured')
    await app.sandbox('/faults', { clear: true })
    expect(await borrower.refunds()).toMatchObject([{ reason: 'nothing_due', amount_paise: announced.amount_paise }])
    expect((await borrower.state()).status).toBe('CLOSED')
    await until(async () => (await borrower.mandate()).end_reason === 'loan_closed')
    expect(await borrower.noticeKinds()).toContain('autopay_ended')
    expect(await smsState(borrower, 'autopay_ended')).toBe('unwanted')
  })

  it('closed by a transfer while presented, and cancelled: the notice asks for no payment', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    const bank = { outcome: 'failure', reason: 'mandate_cancelled', after_seconds: 3_600 }
    await app.sandbox('/debits/next', { receipt: announced.reference, ...bank })
    await present(app, borrower)
    const payoff = (await borrower.state()).allowed.foreclosure!.amountPaise
    await transfer(borrower, Number(payoff) / 100, 'FORECLOSURE')
    await app.clock.advance(2 * 3_600_000)
    await borrower.collection('failed')
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_failed', subject: 'paid' }))
    expect(await smsState(borrower, 'autopay_failed')).toBe('unwanted')
  })

  it('paid by a transfer while presented, and failed for a technical reason: no retry, and none is promised', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    const bank = { outcome: 'failure', reason: 'psp_timeout', after_seconds: 3_600 }
    await app.sandbox('/debits/next', { receipt: announced.reference, ...bank })
    await present(app, borrower)
    await transfer(borrower, Number(announced.amount_paise) / 100)
    await app.clock.advance(2 * 3_600_000)
    await borrower.collection('failed')
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_failed', subject: 'paid' }))
    expect((await borrower.collections()).filter(({ due_on }) => due_on === announced.due_on)).toHaveLength(1)
  })

  it('cancelled in the app while presented: the notice of the debit names no bank', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await app.sandbox('/debits/next', { receipt: announced.reference, outcome: 'failure', reason: 'mandate_cancelled' })
    await present(app, borrower)
    await app.clock.advance(180_000)
    await borrower.collection('failed')
    const subjects = async (of: string) => (await borrower.notices()).filter(({ kind }) => kind === of).map(({ subject }) => subject)
    expect([await subjects('autopay_ended'), await subjects('autopay_failed')]).toEqual([['app'], ['mandate_over']])
  })

  it('no link can be made between the decision and the request', async () => {
    const { borrower, step } = await decided()
    expect((await borrower.link()).body).toMatchObject({ code: 'AutopayInProgress' })
    step.release()
    await until(async () => (await borrower.collections())[0]?.provider_payment_id)
  })
})

/** A debit that is decided; its process waits before the request. */
async function decided() {
  const borrower = await newBorrower(app)
  await borrower.setUp()
  const announced = await announce(app, borrower)
  const step = holdStep(app, 'autopay_debit_decided')
  await moveTo(app, announced.debit_on, 6.01)
  await step.reached()
  return { borrower, announced, step }
}

/** Waits until the collection after the first is announced and delivered. */
async function announcedAnew(borrower: Borrower) {
  await borrower.collection('announced', 1)
  await app.clock.advance(11 * 60_000)
  return until(async () => {
    const [, anew] = await borrower.collections()
    return anew?.delivered_at ? anew : null
  })
}

/** What became of the text message of a notice, when it is no longer waiting. */
const smsState = ({ key }: Borrower, kind: 'autopay_ended' | 'autopay_failed') =>
  until(async () => {
    const { sms } = await app.database.asSystem((sql) =>
      sql.selectFrom('notices').select('sms').where('borrower_id', '=', key.borrowerId).where('kind', '=', kind).executeTakeFirstOrThrow(),
    )
    return sms === 'waiting' ? null : sms
  })

const utrOf = ({ key }: Borrower, rupees: number): string => `UTR${key.loanId.slice(-8)}${rupees}`.toUpperCase()

function transfer(borrower: Borrower, rupees: number, purpose: 'FORECLOSURE' | null = null): Promise<unknown> {
  const { borrowerId, loanId } = borrower.key
  const now = app.clock.now()
  return withLockedLoan(app.database, { borrowerId, loanId }, now, (loan) =>
    recordPayment(loan, {
      mode: 'neft',
      reference: utrOf(borrower, rupees),
      amountPaise: BigInt(Math.round(rupees * 100)) as never,
      date: dayInIndia(now),
      purpose,
    }),
  )
}
