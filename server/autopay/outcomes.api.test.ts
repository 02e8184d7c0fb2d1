import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addDays, addMonths, dayInIndia } from '#domain/calendar.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { advanceUntil } from '#testkit/advance-until.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { addCharges } from '../loan-changes/add-charge.ts'
import { changeLoan } from '../loan-changes/change-loan.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { processEvents } from '../webhooks/process-events.ts'
import { readRazorpayEvent } from '../webhooks/razorpay-event.ts'
import { createLoanChangeContext } from '../payments/links/cancel-open-link.ts'
import { returnByBank } from '../payments/refunds/return-by-bank.ts'
import { reverseByPeople } from '../payments/refunds/record-taken-back.ts'
import { listReviews, resolveReview } from '../payments/review-store.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import type { CollectionRow } from './collection-store.ts'
import { withMandate } from './collection-transaction.ts'
import { requestMandateEnd } from './end-mandate.ts'
import { announce, expectRest, moveTo, newBorrower, park, present, startStage, type Borrower } from './stage.testing.ts'
import { postDebit } from './post-debit.ts'
import { syncCollection } from './sync-collection.ts'
import { applyRefunds } from '../payments/refunds/sync-refunds.ts'
import { syncReturns } from './sync-returns.ts'

let app: App
beforeAll(async () => {
  app = await startStage({ settings: { RAZORPAY_TIMEOUT_MS: '15000' } })
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectRest(app)
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

const minutes = (count: number) => count * 60_000
/** A debit that is presented; `outcome` is what the bank says of it. */
async function presented(outcome: object = {}, product = 'education', method: 'upi' | 'emandate' = 'upi') {
  const borrower = await newBorrower(app, { loan: { product } })
  await borrower.setUp(method)
  const announced = await announce(app, borrower)
  await app.sandbox('/debits/next', { receipt: announced.reference, ...outcome })
  await present(app, borrower)
  return { borrower, announced }
}

/** A debit that failed and succeeds so many hours later; it is noon of the next day. */
async function failedBefore(hours: number) {
  const bank = { outcome: 'late_success', reason: 'insufficient_funds', after_seconds: hours * 3_600 }
  const debit = await presented(bank, 'no_grace')
  await app.clock.advance(minutes(3))
  await debit.borrower.collection('failed')
  await moveTo(app, addDays(debit.announced.debit_on, 1), 12)
  return debit
}

/** A debit that failed, and that the bank captures after all while a link is open. */
async function succeededWhileLinkOpen() {
  const { borrower, announced } = await presented({ outcome: 'late_success', reason: 'insufficient_funds', after_seconds: 20 * 60 })
  await app.clock.advance(minutes(3))
  await borrower.collection('failed')
  const link = String((await borrower.link()).body['payment_link_id'])
  await app.clock.advance(minutes(25))
  expect(await syncCollection(app.context, announced)).toBe(false)
  await borrower.collection('failed')
  return { borrower, announced, link }
}

/** The stored events of a debit, of the types and in their order; waits until there are as many. */
const storedEvents = ({ reference }: CollectionRow, ...types: string[]) =>
  until(async () => {
    const rows = await app.database.asSystem((sql) =>
      sql.selectFrom('webhook_inbox').selectAll().where('reference', '=', reference).where('event_type', 'in', types).execute(),
    )
    const events = rows.map((row) => {
      const { paymentId, disputeId } = readRazorpayEvent(row.body)
      return { ...row, paymentId, disputeId }
    })
    return events.length < types.length ? null : types.map((type) => events.find(({ event_type }) => event_type === type)!)
  })

const noInstrument = { method: 'upi', instrument: null, bankReference: null, feePaise: null, taxPaise: null }

/** The provider tells that it gave the money of a debit back without capturing it. */
const returnUncaptured = (row: CollectionRow) => {
  const { provider_payment_id: paymentId, amount_paise: amountPaise } = row
  if (paymentId === null) throw new Error('the debit has no payment')
  const times = { paidAt: app.clock.now(), captured: false, refundedPaise: amountPaise }
  const payment = { ...noInstrument, providerPaymentId: paymentId, amountPaise, currency: 'INR', ...times }
  const ids = { paymentId, tokenId: null, customerId: null }
  return postDebit(app.context, row, { ...ids, amountPaise, status: 'captured', reason: null, payment })
}

const lookAgainSoon = ({ collection_id: id }: CollectionRow) =>
  app.database.asSystem((sql) =>
    sql
      .updateTable('collections')
      .set({ next_check_at: new Date(app.clock.now().getTime() + minutes(10)) })
      .where('collection_id', '=', id)
      .execute(),
  )

/** Pays what a debit is for by a bank transfer, which staff record. */
const payByTransfer = ({ key }: Borrower, { amount_paise: amountPaise }: CollectionRow) =>
  withLockedLoan(app.database, key, app.clock.now(), (loan) => {
    const transfer = { mode: 'neft', reference: 'HDFCN52026112901', amountPaise, date: dayInIndia(loan.now), purpose: null } as const
    return recordPayment(loan, transfer)
  })

/** The notices of a debit that failed and of money that goes back. */
const toldOfReturn = async (borrower: Borrower) =>
  (await borrower.notices())
    .filter(({ kind }) => kind === 'autopay_failed' || kind === 'refund_asked')
    .map(({ kind, subject }) => [kind, subject].filter(Boolean).join(' '))

const addCharge = ({ key: { borrowerId, loanId } }: Borrower) =>
  changeLoan(createLoanChangeContext(app.context), {
    borrowerId,
    loanId,
    actor: { actorId: 'operator', name: 'test', reason: null },
    whileLinkOpen: 'refuse',
    write: async (loan) => {
      const charge = {
        chargeId: 'c1',
        chargeType: 'BOUNCE_CHARGE',
        date: dayInIndia(loan.now),
        amountPaise: rupeesToPaise(250),
        penal: false,
      }
      await addCharges(loan, [charge])
      return { answer: null, log: { action: 'charge_added', detail: {} } }
    },
  })

describe('the outcome of a debit', () => {
  it('timeout after the recurring call: found by its order, and asked for once', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'recurring', kind: 'timeout_after' })
    await moveTo(app, announced.debit_on, 6.01)
    await borrower.collection('presented')
    await app.clock.advance(minutes(3))
    await borrower.collection('captured')
    const { payments } = (await app.sandbox('/state')) as { payments: { order_id: string }[] }
    expect(payments.filter(({ order_id }) => order_id === announced.order_id)).toHaveLength(1)
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n })
  })

  it('a request that never reached the provider: never repeated; another debit is announced', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const announced = await announce(app, borrower)
    await app.sandbox('/faults', { call: 'recurring', kind: 'reset' })
    await moveTo(app, announced.debit_on, 6.01)
    await borrower.collection('presented')
    // A request that is minutes late is not sent, and the fault would be met by the next test.
    await until(async () => ((await app.sandbox('/faults'))['faults'] as unknown[]).length === 0)
    await app.clock.advance(minutes(35))
    expect(await borrower.collection('failed')).toMatchObject({ reason: 'not_presented', failure_class: 'technical' })
    const { payments } = (await app.sandbox('/state')) as { payments: { order_id: string }[] }
    expect(payments.filter(({ order_id }) => order_id === announced.order_id)).toEqual([])
    const again = (await borrower.collections()).find(({ status, due_on }) => status === 'planned' && due_on === announced.due_on)
    expect(again).toMatchObject({ attempt: 1, planned_by: 'system', debit_on: addDays(announced.debit_on, 2) })
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_failed', subject: 'not_presented' }))
    const index = (await borrower.collections()).findIndex(({ collection_id }) => collection_id === again?.collection_id)
    const { reference } = await announce(app, borrower, index)
    await app.sandbox('/debits/next', { receipt: reference, outcome: 'failure', reason: 'psp_timeout' })
    await present(app, borrower, index)
    await app.clock.advance(minutes(3))
    expect(await borrower.collection('failed', index)).toMatchObject({ failure_class: 'technical' })
    // It was the first presentation: one retry follows by itself.
    const retry = (await borrower.collections()).find(({ attempt, due_on }) => attempt === 2 && due_on === announced.due_on)
    expect(retry).toMatchObject({ status: 'planned', planned_by: 'system' })
  })

  it('captured for another amount: counts as it came, and is for a person', async () => {
    const { borrower, announced } = await presented({ outcome: 'success', amount: 400_000 })
    await app.clock.advance(minutes(3))
    await borrower.collection('captured')
    expect(await borrower.reviews()).toMatchObject([{ kind: 'debit_amount' }])
    expect((await borrower.state()).duesPaise).toBe(announced.amount_paise - 400_000n)
  })

  it('returned by the provider without being captured: failed, and the borrower is asked to pay', async () => {
    const { borrower } = await presented({ outcome: 'success', after_seconds: 3_600 })
    const row = await borrower.collection('presented')
    const { duesPaise } = await borrower.state()
    await returnUncaptured(row)
    // The event of its refund has it looked at again.
    await lookAgainSoon(row)
    await returnUncaptured(row)
    const failed = { reason: 'not_captured', failure_class: 'technical', next_check_at: noFurtherCheck }
    expect(await borrower.collection('failed')).toMatchObject(failed)
    expect(await borrower.refunds()).toMatchObject([{ reason: 'nothing_due', amount_paise: row.amount_paise }])
    expect(await borrower.state()).toMatchObject({ duesPaise, creditPaise: 0n })
    expect(await borrower.noticeKinds()).not.toContain('refund_asked')
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_failed', subject: 'not_captured' }))
    // The first amount is on its way back: another debit is for the borrower to choose.
    expect((await borrower.collections()).filter(({ due_on, status }) => due_on === row.due_on && status === 'planned')).toEqual([])
    const [shown] = (await borrower.collectionsOnWire()).filter(({ status }) => status === 'failed')
    expect(shown?.['retry']).toMatchObject({ from: addDays(row.debit_on, 3) })
  })

  it('failed, and returned without being captured later: told once, and no retry comes by itself', async () => {
    const { borrower, announced } = await presented({ outcome: 'failure', reason: 'psp_timeout' })
    await app.clock.advance(minutes(3))
    const row = await borrower.collection('failed')
    const retries = async () => (await borrower.collections()).filter(({ due_on, attempt }) => due_on === announced.due_on && attempt > 1)
    expect(await retries()).toMatchObject([{ status: 'planned' }])
    await returnUncaptured(row)
    await returnUncaptured(row)
    expect(await borrower.collection('failed')).toMatchObject({ reason: 'not_captured', failure_class: 'technical' })
    expect(await retries()).toMatchObject([{ status: 'skipped', reason: 'superseded' }])
    expect(await toldOfReturn(borrower)).toEqual(['autopay_failed technical', 'autopay_failed not_captured'])
    const [shown] = (await borrower.collectionsOnWire()).filter(({ status }) => status === 'failed')
    expect(shown?.['retry']).not.toBeNull()
  })

  it('paid by hand, and returned without being captured: one notice tells of it', async () => {
    const first = await presented({ outcome: 'failure', reason: 'insufficient_funds' })
    await app.clock.advance(minutes(3))
    const failed = await first.borrower.collection('failed')
    await first.borrower.payLink('PAY_EMI')
    await returnUncaptured(failed)
    expect(await toldOfReturn(first.borrower)).toEqual(['autopay_failed funds', 'refund_asked'])
  })

  it('paid by a transfer while presented, and returned without being captured: one notice tells of it', async () => {
    const { borrower } = await presented({ outcome: 'success', after_seconds: 3_600 })
    const row = await borrower.collection('presented')
    await payByTransfer(borrower, row)
    await returnUncaptured(row)
    expect(await toldOfReturn(borrower)).toEqual(['autopay_failed paid'])
  })

  it('insufficient funds: no retry by itself; the late charge arises on the day after', async () => {
    const { borrower, announced } = await presented({ outcome: 'failure', reason: 'insufficient_funds' }, 'no_grace')
    await app.clock.advance(minutes(3))
    const failed = await borrower.collection('failed')
    expect(failed).toMatchObject({ reason: 'insufficient_funds', failure_class: 'funds' })
    expect((await borrower.collections()).filter(({ due_on, status }) => due_on === announced.due_on && status !== 'failed')).toEqual([])
    expect(await borrower.noticeKinds()).toContain('autopay_failed')
    await moveTo(app, addDays(announced.debit_on, 1), 12)
    expect((await borrower.state()).derivedCharges).toMatchObject([{ date: addDays(announced.debit_on, 1) }])
    await expectRest(app)
    const [shown] = (await borrower.collectionsOnWire()).filter(({ status }) => status === 'failed')
    expect(shown?.['retry']).toMatchObject({ from: addDays(announced.debit_on, 3) })
    const early = await borrower.post(`/portal/autopay/collections/${failed.collection_id}/retry`, { date: addDays(announced.debit_on, 2) })
    expect([early.status, early.body]).toMatchObject([422, { code: 'AutopayFieldInvalid', field: 'date' }])
    const retried = await borrower.post(`/portal/autopay/collections/${failed.collection_id}/retry`, {
      date: addDays(announced.debit_on, 3),
    })
    expect(retried.body['collection']).toMatchObject({ status: 'planned', attempt: 2, debit_on: addDays(announced.debit_on, 3) })
  })

  it('an account that is no more: the mandate is ended at the provider too, and another can be set up', async () => {
    const { borrower } = await presented({ outcome: 'failure', reason: 'remitter_account_dormant' })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    const ended = await advanceUntil(app, minutes(2), async () => {
      const mandate = await borrower.mandate()
      return mandate.status === 'ended' ? mandate : null
    })
    expect(ended.end_reason).toBe('bank')
    // The provider takes a while.
    await advanceUntil(app, minutes(2), async () => {
      const { tokens } = (await app.sandbox('/state')) as { tokens: { id: string; recurring_details: { status: string } }[] }
      return tokens.find(({ id }) => id === ended.token_id)?.recurring_details.status === 'cancelled'
    })
    expect((await borrower.noticeKinds()).filter((kind) => kind === 'autopay_ended')).toHaveLength(1)
    await borrower.setUp()
  })

  it('the borrower ends autopay while a debit is presented, which then fails: the notice names no bank', async () => {
    const { borrower } = await presented({ outcome: 'failure', reason: 'mandate_cancelled', after_seconds: 3_600 })
    await withMandate(app.context, await borrower.mandate(), (step) => requestMandateEnd(step, 'borrower'))
    await app.clock.advance(minutes(90))
    await borrower.collection('failed')
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_failed', subject: 'mandate_cancelled' }))
  })

  it('insufficient funds too late for another debit before the next instalment: the notice offers none', async () => {
    const { borrower } = await presented({ outcome: 'failure', reason: 'insufficient_funds', after_seconds: 26 * 86_400 })
    const expectedBy = async () => {
      const debit = (await borrower.collectionsOnWire()).find(({ status }) => status === 'presented')
      return [debit, (await borrower.link()).body].map((shown) => shown?.['expected_by'])
    }
    expect(await expectedBy()).toEqual([expect.any(String), expect.any(String)])
    await app.clock.advance(6 * 86_400_000)
    // The bank is late: the time that was named is not named again.
    expect(await expectedBy()).toEqual([null, undefined])
    await app.clock.advance(21 * 86_400_000)
    await borrower.collection('failed')
    expect((await borrower.notices()).find(({ kind }) => kind === 'autopay_failed')?.subject).toBe('funds_last')
  })

  it('the next due date is announced while a retry is still planned: the retry is superseded', async () => {
    const { borrower, announced } = await presented({ outcome: 'failure', reason: 'insufficient_funds' })
    await app.clock.advance(minutes(3))
    const failed = await borrower.collection('failed')
    const { body } = await borrower.post(`/portal/autopay/collections/${failed.collection_id}/retry`, {
      date: addDays(announced.debit_on, 3),
    })
    const { id } = body['collection'] as { id: string }
    await park(app, { collection_id: id })
    const index = (await borrower.collections()).findIndex(({ due_on }) => due_on > announced.due_on)
    const next = await announce(app, borrower, index)
    expect(next).toMatchObject({ due_on: addMonths(announced.due_on, 1), attempt: 1 })
    const retry = (await borrower.collections()).find(({ collection_id }) => collection_id === id)
    expect(retry).toMatchObject({ status: 'skipped', reason: 'superseded' })
    await borrower.post(`/portal/autopay/collections/${next.collection_id}/skip`)
  })

  it('a technical failure: one retry by itself, announced as the first, and no second', async () => {
    const { borrower, announced } = await presented({ outcome: 'failure', reason: 'psp_timeout' })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    const index = (await borrower.collections()).findIndex(({ due_on, status }) => due_on === announced.due_on && status === 'planned')
    const retry = await announce(app, borrower, index)
    expect(retry).toMatchObject({ attempt: 2, planned_by: 'system' })
    await app.sandbox('/debits/next', { receipt: retry.reference, outcome: 'failure', reason: 'psp_timeout' })
    await present(app, borrower, index)
    await app.clock.advance(minutes(3))
    await borrower.collection('failed', index)
    expect((await borrower.collections()).filter(({ due_on, status }) => due_on === announced.due_on && status === 'planned')).toEqual([])
    const failures = (await borrower.notices()).filter(({ kind }) => kind === 'autopay_failed')
    expect(failures.map(({ subject }) => subject)).toEqual(['technical', 'technical_last'])
  })

  it('a technical failure when 30 days since the first debit are nearly over: no retry', async () => {
    const borrower = await newBorrower(app)
    await borrower.setUp()
    const { collection_id: id, reference, debit_on: debitOn, due_on: dueOn } = await announce(app, borrower)
    await app.database.asSystem((sql) =>
      sql
        .updateTable('collections')
        .set({ first_debit_on: addDays(debitOn, -29) })
        .where('collection_id', '=', id)
        .execute(),
    )
    await app.sandbox('/debits/next', { receipt: reference, outcome: 'failure', reason: 'psp_timeout' })
    await present(app, borrower)
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    expect((await borrower.collections()).filter(({ due_on, status }) => due_on === dueOn && status === 'planned')).toEqual([])
    expect((await borrower.notices()).findLast(({ kind }) => kind === 'autopay_failed')?.subject).toBe('technical_last')
  })

  it('late success that no event told, just before a retry: the retry is skipped', async () => {
    const { borrower, announced } = await presented({
      outcome: 'late_success',
      reason: 'psp_timeout',
      after_seconds: 2 * 86_400 - 3_600,
    })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    const index = (await borrower.collections()).findIndex(({ due_on, status }) => due_on === announced.due_on && status === 'planned')
    const retry = await announce(app, borrower, index)
    // The last look comes before the success, and the next one after the retry.
    await app.database.asSystem((sql) =>
      sql
        .updateTable('collections')
        .set({ next_check_at: new Date(app.clock.now().getTime() + minutes(3 * 24 * 60)) })
        .where('collection_id', '=', announced.collection_id)
        .execute(),
    )
    await moveTo(app, retry.debit_on, 6.01)
    expect(await borrower.collection('skipped', index)).toMatchObject({ reason: 'paid', presented_at: null })
    await app.sandbox('/faults', { clear: true })
    expect((await borrower.collections())[0]).toMatchObject({ status: 'captured' })
    expect(await borrower.refunds()).toEqual([])
  })

  it('a retry by itself that fails too, after the first debit succeeded late: no second', async () => {
    const { borrower, announced } = await presented({ outcome: 'late_success', reason: 'psp_timeout', after_seconds: 2 * 3_600 })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    // There is something left to debit when the first debit has succeeded.
    await addCharge(borrower)
    await moveTo(app, announced.debit_on, 9.5)
    await borrower.collection('captured')
    const index = (await borrower.collections()).findIndex(({ due_on, status }) => due_on === announced.due_on && status === 'planned')
    const retry = await announce(app, borrower, index)
    expect(retry).toMatchObject({ attempt: 2, planned_by: 'system', amount_paise: 25_000n })
    await app.sandbox('/debits/next', { receipt: retry.reference, outcome: 'failure', reason: 'psp_timeout' })
    await present(app, borrower, index)
    await app.clock.advance(minutes(3))
    await borrower.collection('failed', index)
    expect((await borrower.collections()).filter(({ due_on, status }) => due_on === announced.due_on && status === 'planned')).toEqual([])
  })

  it('late success after failure and a manual payment: goes back whole', async () => {
    const { borrower, announced } = await presented({ outcome: 'late_success', reason: 'insufficient_funds', after_seconds: 6 * 3_600 })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    await borrower.payLink('PAY_EMI')
    await app.clock.advance(minutes(24 * 60))
    await borrower.collection('captured')
    expect(await borrower.refunds()).toMatchObject([{ reason: 'nothing_due', amount_paise: announced.amount_paise }])
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n })
    expect(await borrower.noticeKinds()).toContain('refund_asked')
  })

  it('late success that could not be sent back, and that the bank takes back: nothing is sent any more', async () => {
    const { borrower } = await presented({ outcome: 'late_success', reason: 'insufficient_funds', after_seconds: 6 * 3_600 })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    await borrower.payLink('PAY_EMI')
    await app.sandbox('/faults', { call: 'refund', kind: 'status', status: 400, times: 1 })
    await app.clock.advance(minutes(24 * 60))
    const { provider_payment_id: paymentId, amount_paise: amountPaise } = await borrower.collection('captured')
    await until(async () => (await borrower.refunds())[0]?.status === 'failed')
    const disputes = [{ disputeId: `disp_${paymentId}`, paymentId: paymentId!, amountPaise: amountPaise!, isLost: true, reason: '' }]
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes }) }
    expect(await syncReturns({ ...app.context, gateway })).toBe(1)
    expect(await syncReturns({ ...app.context, gateway })).toBe(0)
    expect(await borrower.refunds()).toMatchObject([{ reason: 'nothing_due', status: 'processed', amount_paise: amountPaise }])
    expect(await borrower.reviews()).toMatchObject([{ kind: 'refund_failed', resolved_by: 'system' }])
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, heldPaise: amountPaise })
  })

  it.each([
    ['', false],
    [', also where another transfer came and was sent back', true],
  ])('late success of a debit that staff recorded meanwhile: replaces what they recorded%s', async (_more, hasOther) => {
    const { borrower, announced } = await presented({ outcome: 'late_success', reason: 'insufficient_funds', after_seconds: 6 * 3_600 })
    await app.clock.advance(minutes(3))
    const { provider_payment_id: reference } = await borrower.collection('failed')
    const { borrowerId, loanId } = borrower.key
    const date = dayInIndia(app.clock.now())
    const money = { amountPaise: announced.amount_paise!, date }
    const write = (work: (loan: LoanTransaction) => Promise<unknown>) =>
      withLockedLoan(app.database, { borrowerId, loanId }, app.clock.now(), work)
    const record = (mode: 'upi' | 'neft', named: string) =>
      write((loan) => recordPayment(loan, { ...money, mode, reference: named, purpose: null }))
    await record('upi', reference!)
    if (hasOther) {
      await record('neft', 'UTRTWICE1')
      await write((loan) => returnByBank(loan, { ...money, mode: 'neft', reference: 'UTRBACK1' }))
    }
    await app.clock.advance(minutes(24 * 60))
    await borrower.collection('captured')
    expect(await borrower.refunds()).toEqual([])
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n, refundShortPaise: 0n })
    expect(await borrower.reviews()).toMatchObject([{ kind: 'duplicate_bank_reference', detail: { recorded: 'reversed' } }])
  })

  it('late success while a link is open and is paid: waits for the link, and goes back whole', async () => {
    const { borrower, announced, link } = await succeededWhileLinkOpen()
    await app.sandbox(`/links/${link}/pay`, { method: 'upi', outcome: 'success' })
    await until(async () => (await borrower.get(`/portal/payment-link/status?payment_link_id=${link}`)).body['rps_updated'])
    await app.clock.advance(minutes(2))
    await borrower.collection('captured')
    expect(await borrower.refunds()).toMatchObject([{ reason: 'nothing_due', amount_paise: announced.amount_paise }])
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n })
  })

  it('late success while a link is open that ends unpaid: posted then, with its value date', async () => {
    const { borrower, announced, link } = await succeededWhileLinkOpen()
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, await borrower.session())
    await app.clock.advance(minutes(2))
    expect(await borrower.collection('captured')).toMatchObject({ value_date: announced.due_on })
    expect(await borrower.refunds()).toEqual([])
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, creditPaise: 0n })
  })

  it('late success while a link is open: its events wait for the link too', async () => {
    const { borrower, announced, link } = await succeededWhileLinkOpen()
    const events = await storedEvents(announced, 'payment.captured', 'order.paid')
    await processEvents(app.context, announced.reference, events)
    const outcomes = async () => (await storedEvents(announced, 'payment.captured', 'order.paid')).map(({ outcome }) => outcome)
    expect(await outcomes()).toEqual([null, null])
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, await borrower.session())
    await app.clock.advance(minutes(2))
    await borrower.collection('captured')
    await processEvents(app.context, announced.reference, events)
    expect(await outcomes()).toEqual(['applied', 'applied'])
  })

  it.each([
    ['which events tell', false],
    ['of which no event tells', true],
  ])('late success that waits for a link, and is refunded meanwhile by the lender, %s: unpaid again', async (_name, isDropped) => {
    const { borrower, announced, link } = await succeededWhileLinkOpen()
    if (isDropped) await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    const { provider_payment_id: paymentId } = await borrower.collection('failed')
    const refund = {
      providerPaymentId: paymentId!,
      amountPaise: announced.amount_paise!,
      refundId: 'by-hand',
      tryNumber: 0,
      key: paymentId!,
    }
    expect(await app.context.gateway.refundPayment(refund)).toMatchObject({ kind: 'accepted' })
    if (!isDropped) {
      const events = await storedEvents(announced, 'refund.created')
      await processEvents(app.context, announced.reference, events)
      expect(await storedEvents(announced, 'refund.created')).toMatchObject([{ outcome: null }])
    }
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, await borrower.session())
    await app.clock.advance(minutes(2))
    await borrower.collection('captured')
    const [refunded] = await until(async () => ((await borrower.refunds()).length > 0 ? borrower.refunds() : null))
    expect(refunded).toMatchObject({ reason: 'by_lender', amount_paise: announced.amount_paise })
    expect((await borrower.state()).duesPaise).toBe(announced.amount_paise)
  })

  it('a debit of which the provider tells nothing a day after its outcome was expected: for a person', async () => {
    const { borrower, announced } = await presented({ outcome: 'success', after_seconds: 20 * 86_400 })
    await app.sandbox('/faults', { call: 'order_payments', kind: 'reset', times: 'forever' })
    await moveTo(app, addDays(announced.debit_on, 8), 12)
    expect(await syncCollection(app.context, announced)).toBe(false)
    expect(await borrower.reviews()).toMatchObject([{ kind: 'debit_overdue' }])
  })

  it('a debit whose outcome cannot be stored a day after it was expected: for a person', async () => {
    const { borrower, announced } = await presented({ outcome: 'success', after_seconds: 20 * 86_400 })
    await moveTo(app, addDays(announced.debit_on, 8), 12)
    const fails = { ...app.context, failPoint: () => Promise.reject(new Error('a fault of the ledger')) }
    await expect(syncCollection(fails, announced)).rejects.toThrow('a fault of the ledger')
    expect(await borrower.reviews()).toMatchObject([{ kind: 'debit_overdue' }])
  })

  it('late success after the instalment and its late charge were paid: goes back whole, and the charge stays', async () => {
    const { borrower, announced } = await failedBefore(60)
    await borrower.payLink('OVERDUE')
    expect(await borrower.state()).toMatchObject({ duesPaise: 0n, creditPaise: 0n, derivedCharges: [{ amountPaise: 50_000n }] })
    await moveTo(app, addDays(announced.debit_on, 3), 12)
    await borrower.collection('captured')
    expect(await borrower.refunds()).toMatchObject([{ reason: 'nothing_due', amount_paise: announced.amount_paise }])
    expect(await borrower.state()).toMatchObject({ duesPaise: 0n, creditPaise: 0n, derivedCharges: [{ amountPaise: 50_000n }] })
  })

  it('late success without another payment: counts from the due date, and takes the late charge back', async () => {
    const { borrower, announced } = await failedBefore(40)
    expect((await borrower.state()).derivedCharges).toHaveLength(1)
    await moveTo(app, addDays(announced.debit_on, 3), 12)
    expect(await borrower.collection('captured')).toMatchObject({ value_date: announced.due_on })
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, derivedCharges: [] })
  })

  it('late success while the provider is away for a week: found when it is back', async () => {
    const { borrower, announced } = await presented({
      outcome: 'late_success',
      reason: 'insufficient_funds',
      after_seconds: 4 * 86_400,
    })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    await app.sandbox('/faults', { call: 'order_payments', kind: 'reset', times: 'forever' })
    for (let days = 1; days <= 7; days += 1) {
      const { checks } = await borrower.collection('failed')
      await moveTo(app, addDays(announced.debit_on, days), 12)
      await until(async () => (await borrower.collection('failed')).checks > checks)
    }
    await app.sandbox('/faults', { clear: true })
    await moveTo(app, addDays(announced.debit_on, 8), 12)
    expect(await borrower.collection('captured')).toMatchObject({ next_check_at: noFurtherCheck })
    expect((await borrower.payments())[0]?.transaction_id).not.toBeNull()
  })

  it('a failed debit is looked at for five days', async () => {
    const { borrower, announced } = await presented({ outcome: 'failure', reason: 'insufficient_funds' })
    await app.clock.advance(minutes(3))
    await borrower.collection('failed')
    await moveTo(app, addDays(announced.debit_on, 4), 12)
    await until(async () => (await borrower.collection('failed')).next_check_at > app.clock.now())
    expect((await borrower.collection('failed')).next_check_at).not.toEqual(noFurtherCheck)
    await moveTo(app, addDays(announced.debit_on, 6), 12)
    await until(async () => (await borrower.collection('failed')).next_check_at.getTime() === noFurtherCheck.getTime())
  })

  it('dispute after success: reversed, unpaid again, no back-dated late charge, and told', async () => {
    const { borrower, announced } = await presented({ outcome: 'success_then_return', after_seconds: 3 * 86_400 }, 'no_grace')
    await app.clock.advance(minutes(3))
    await borrower.collection('captured')
    await moveTo(app, addDays(announced.debit_on, 4), 12)
    await until(async () => (await syncReturns(app.context), (await borrower.collections())[0]?.reason === 'returned'))
    const state = await borrower.state()
    expect(state).toMatchObject({ status: 'OVERDUE', derivedCharges: [] })
    expect(await borrower.noticeKinds()).toContain('payment_reversed')
    await moveTo(app, addDays(announced.debit_on, 5), 12)
    expect((await borrower.state()).derivedCharges).toMatchObject([{ date: addDays(announced.debit_on, 5) }])
  })

  it('disputed and not lost yet: a review for each step, so that it is answered in time', async () => {
    const { borrower, announced } = await presented()
    await app.clock.advance(minutes(3))
    const { provider_payment_id: paymentId, collection_id: collectionId } = await borrower.collection('captured')
    // The list of all disputes is not needed for it.
    await app.sandbox('/faults', { call: 'disputes', kind: 'reset', times: 'forever' })
    const dispute = (await app.sandbox(`/payments/${paymentId}/dispute`, {})) as { id: string }
    await storedEvents(announced, 'payment.dispute.created')
    await until(async () => ((await borrower.reviews()).length === 0 ? null : true))
    const [review] = await borrower.reviews()
    expect(review).toMatchObject({ kind: 'dispute', detail: { event: 'payment.dispute.created', payment: paymentId } })
    expect(await borrower.collection('captured')).toMatchObject({ collection_id: collectionId, reason: null })
    await app.sandbox('/faults', { clear: true })
    await app.sandbox(`/disputes/${dispute.id}/lose`, {})
    await until(async () => (await borrower.collections())[0]?.reason === 'returned')
    expect(await borrower.reviews()).toMatchObject([{ kind: 'dispute', detail: { event: 'payment.dispute.created' } }])
  })

  it('captured for another amount and taken back by the bank: reversed with that amount', async () => {
    const bank = { outcome: 'success_then_return', after_seconds: 3 * 86_400, amount: 400_000 }
    const { borrower, announced } = await presented(bank)
    await app.clock.advance(minutes(3))
    await borrower.collection('captured')
    await moveTo(app, addDays(announced.debit_on, 4), 12)
    await until(async () => (await syncReturns(app.context), (await borrower.collections())[0]?.reason === 'returned'))
    expect(await borrower.reviews()).toMatchObject([{ kind: 'debit_amount' }])
    expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'payment_reversed', amount: 4_000 }))
  })

  it('reversed by staff after a return of another amount: unpaid again, no back-dated late charge', async () => {
    const { borrower, announced } = await presented()
    await app.clock.advance(minutes(3))
    const { provider_payment_id: paymentId } = await borrower.collection('captured')
    await moveTo(app, addDays(announced.debit_on, 10), 12)
    const dispute = { disputeId: 'disp_Kist0000000002', paymentId: paymentId!, amountPaise: paise(100n), isLost: true, reason: '' }
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes: [dispute] }) }
    await syncReturns({ ...app.context, gateway })
    expect(await borrower.reviews()).toMatchObject([{ kind: 'debit_return' }])
    const { borrowerId, loanId } = borrower.key
    await withLockedLoan(app.database, { borrowerId, loanId }, app.clock.now(), (loan) => reversePayment(loan, 'razorpay', paymentId!))
    expect((await borrower.collections())[0]).toMatchObject({ reason: 'returned', outcome_on: addDays(announced.debit_on, 10) })
    const { facts } = await app.database.asBorrower(borrowerId, (sql) => lockOwnLoan(sql, borrowerId, loanId))
    const until = addDays(announced.debit_on, 10)
    expect(facts.lateChargeHolds).toMatchObject([{ until }, { until, takenBack: { amountPaise: announced.amount_paise } }])
    expect(await borrower.state()).toMatchObject({ status: 'OVERDUE', derivedCharges: [] })
  })

  it('reversed by staff, who recorded its money again, and lost later: for a person', async () => {
    const { borrower, announced } = await presented({}, 'no_grace')
    await app.clock.advance(minutes(3))
    const { provider_payment_id: paymentId } = await borrower.collection('captured')
    const { borrowerId, loanId } = borrower.key
    const date = dayInIndia(app.clock.now())
    const recorded = { mode: 'upi', reference: paymentId!, amountPaise: announced.amount_paise!, date, purpose: null } as const
    await withLockedLoan(app.database, { borrowerId, loanId }, app.clock.now(), async (loan) => {
      await reversePayment(loan, 'razorpay', paymentId!)
      await recordPayment({ ...loan, own: await lockOwnLoan(loan.sql, borrowerId, loanId) }, recorded)
    })
    const lost = { disputeId: `disp_${paymentId}`, paymentId: paymentId!, amountPaise: announced.amount_paise!, isLost: true, reason: '' }
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes: [lost] }) }
    for (const _poll of [1, 2]) {
      expect(await syncReturns({ ...app.context, gateway })).toBe(0)
      expect(await borrower.reviews()).toMatchObject([
        { kind: 'dispute', detail: { event: 'payment.dispute.lost', payment: paymentId, bank_reference: expect.any(String) } },
      ])
    }
  })

  it.each([
    ['the rest', 0n, []],
    ['the whole', 100_000n, [{ kind: 'debit_return' }]],
  ])('taken back after a part was refunded at the provider, %s is reported: the rest counts no more', async (_what, more, reviews) => {
    const { borrower, announced } = await presented({}, 'no_grace')
    await app.clock.advance(minutes(3))
    const { provider_payment_id: paymentId } = await borrower.collection('captured')
    const payment = await app.database.asSystem((sql) =>
      sql.selectFrom('provider_payments').selectAll().where('provider_payment_id', '=', paymentId!).executeTakeFirstOrThrow(),
    )
    const refund = { providerRefundId: `rfnd_${payment.provider_payment_id}`, providerPaymentId: payment.provider_payment_id }
    const report = { ...refund, refundId: null, tryNumber: null, bankReference: null, createdAt: app.clock.now() } as const
    await applyRefunds(app.context, payment, [{ ...report, amountPaise: paise(100_000n), status: 'processed' }])
    const restPaise = paise(payment.amount_paise - 100_000n)
    const lost = { disputeId: `disp_${payment.provider_payment_id}`, paymentId: payment.provider_payment_id, isLost: true, reason: '' }
    const disputes = [{ ...lost, amountPaise: paise(restPaise + more) }]
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes }) }
    expect(await syncReturns({ ...app.context, gateway })).toBe(1)
    expect(await syncReturns({ ...app.context, gateway })).toBe(0)
    expect((await borrower.collections())[0]).toMatchObject({ reason: 'returned', outcome_on: announced.debit_on })
    expect(await borrower.refunds()).toMatchObject([
      { amount_paise: 100_000n },
      { amount_paise: restPaise, status: 'processed', reason: 'by_lender' },
    ])
    expect(await borrower.state()).toMatchObject({ heldPaise: payment.amount_paise, creditPaise: 0n, derivedCharges: [] })
    expect(await borrower.reviews()).toMatchObject([{ kind: 'refund_by_lender' }, ...reviews])
    const told = (await borrower.notices()).find(({ kind }) => kind === 'payment_reversed')
    expect(told).toMatchObject({ amount: Number(restPaise) / 100 })
  })

  it('half taken back and recorded by staff: the same report takes no more, another one is for a person', async () => {
    const { borrower } = await presented({}, 'no_grace')
    await app.clock.advance(minutes(3))
    const { provider_payment_id: paymentId, amount_paise: wholePaise } = await borrower.collection('captured')
    const halfPaise = paise(wholePaise! / 2n)
    const lost = { disputeId: `disp_half_${paymentId}`, paymentId: paymentId!, amountPaise: halfPaise, isLost: true, reason: '' }
    const disputes = [lost]
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes }) }
    const poll = () => syncReturns({ ...app.context, gateway })
    const { borrowerId, loanId } = borrower.key
    const half = { source: 'razorpay', sourceId: paymentId!, isReportedByBank: true, partPaise: halfPaise }
    expect(await poll()).toBe(0)
    await withLockedLoan(app.database, { borrowerId, loanId }, app.clock.now(), async (loan) => {
      const { sql } = loan
      await reverseByPeople(loan, half)
      const [review] = (await listReviews(sql, false)).filter(({ borrower_id }) => borrower_id === borrowerId)
      await resolveReview(sql, review!, 'operator', 'recorded', app.clock.now())
    })
    const left = await borrower.state()
    expect(await poll()).toBe(0)
    expect(await borrower.state()).toEqual(left)
    expect(await borrower.refunds()).toMatchObject([{ amount_paise: halfPaise, status: 'processed' }])
    expect(await borrower.reviews()).toMatchObject([{ kind: 'debit_return', resolved_by: 'operator' }])
    expect((await borrower.collectionsOnWire()).map(({ refund_status }) => refund_status)).not.toContain('processed')
    disputes.push({ ...lost, disputeId: `disp_rest_${paymentId}` })
    expect(await poll()).toBe(0)
    expect(await borrower.reviews()).toMatchObject([{ resolved_by: 'operator' }, { kind: 'debit_return', resolved_by: null }])
  })

  it('disputes are looked up without a statement that needs every node', async () => {
    const lost = { disputeId: 'disp_Kist0000000003', amountPaise: paise(100n), isLost: true, reason: '' }
    const disputes = ['pay_AAAAAAAAAAAAAA', 'pay_BBBBBBBBBBBBBB'].map((paymentId) => ({ ...lost, paymentId }))
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes }) }
    await presented().then(async ({ borrower }) => (await app.clock.advance(minutes(3)), borrower.collection('captured')))
    const asSystem = (): never => {
      throw new Error('this needs every node')
    }
    expect(await syncReturns({ ...app.context, gateway, database: { ...app.context.database, asSystem } })).toBe(0)
  })

  it('a dispute that cannot be recorded keeps no other one waiting', async () => {
    const { borrower, announced } = await presented()
    await app.clock.advance(minutes(3))
    const { provider_payment_id: paymentId } = await borrower.collection('captured')
    const lost = { disputeId: 'disp_Kist0000000001', amountPaise: announced.amount_paise!, isLost: true, reason: '' }
    const disputes = ['pay_\0', paymentId!].map((id) => ({ ...lost, paymentId: id }))
    const gateway = { ...app.context.gateway, listDisputes: async () => ({ kind: 'found' as const, disputes }) }
    await expect(syncReturns({ ...app.context, gateway })).rejects.toThrow(
      '1 of 2 disputes, whose money a bank took back, could not be recorded',
    )
    expect((await borrower.collections())[0]?.reason).toBe('returned')
    expect(await syncReturns({ ...app.context, gateway }, paymentId)).toBe(0)
    await expect(syncReturns({ ...app.context, gateway }, 'pay_\0')).rejects.toThrow(
      '1 of 2 disputes, whose money a bank took back, could not be recorded',
    )
  })

  it('eNACH: told on T+2, posted with the value date of its day, no late charge meanwhile', async () => {
    const { borrower, announced } = await presented({}, 'no_grace', 'emandate')
    await moveTo(app, addDays(announced.debit_on, 1), 12)
    expect(await borrower.state()).toMatchObject({ status: 'OVERDUE', dpd: 1, derivedCharges: [] })
    expect((await borrower.link('OVERDUE')).body).toMatchObject({ code: 'AutopayInProgress' })
    await moveTo(app, addDays(announced.debit_on, 2), 12)
    expect(await borrower.collection('captured')).toMatchObject({ value_date: announced.due_on })
    expect(await borrower.state()).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: 0n, derivedCharges: [] })
    const shown = (await borrower.collectionsOnWire()).find(({ id }) => id === announced.collection_id)
    // The portal announced it by its own notice, so no bank delivered one.
    const steps = (shown?.['steps'] ?? []) as { step: string }[]
    expect(steps.map(({ step }) => step).slice(0, 2)).toEqual(['announced', 'presented'])
  })

  it('eNACH: failure told on T+2: the late charge arises on the day after', async () => {
    const { borrower, announced } = await presented({ outcome: 'failure', reason: 'insufficient_funds' }, 'no_grace', 'emandate')
    await moveTo(app, addDays(announced.debit_on, 2), 12)
    await borrower.collection('failed')
    expect((await borrower.state()).derivedCharges).toEqual([])
    await moveTo(app, addDays(announced.debit_on, 3), 12)
    expect((await borrower.state()).derivedCharges).toMatchObject([{ date: addDays(announced.debit_on, 3) }])
  })
})
