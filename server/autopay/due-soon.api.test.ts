import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { addDays, addMonths, toDay, type Day } from '#domain/calendar.ts'
import { noon, until, type App } from '#testkit/start-app.ts'
import { announceDue } from './announce-due.ts'
import { announce, expectRest, moveTo, newBorrower, present, startStage, type Borrower } from './stage.testing.ts'

let app: App
beforeAll(async () => {
  app = await startStage()
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectRest(app)
  await app.clock.moveTo(noon)
})
afterAll(() => app.close())

const minutes = (count: number) => count * 60_000
const insufficientFunds = { outcome: 'failure', reason: 'insufficient_funds' }

/** A borrower whose debit of a due date has failed, and is not repeated. */
async function withFailedDebit(dueOn: Day, terms: { max_amount?: number } = {}): Promise<Borrower> {
  const borrower = await newBorrower(app, { dueOn })
  await borrower.setUp('upi', terms)
  const { reference } = await announce(app, borrower)
  await app.sandbox('/debits/next', { receipt: reference, ...insufficientFunds })
  await present(app, borrower)
  await app.clock.advance(minutes(3))
  await borrower.collection('failed')
  return borrower
}

/** Noon of the third day before a due date, when its instalments have been announced. */
async function letInstalmentsBeAnnounced(dueOn: Day): Promise<void> {
  await moveTo(app, addDays(dueOn, -3), 12)
  const runs = () =>
    app.database.asSystem((sql) =>
      sql.selectFrom('daily_runs').select('finished_at').where('name', '=', 'due soon').where('run_on', '=', dueOn).execute(),
    )
  await until(async () => (await runs()).some(({ finished_at }) => finished_at !== null))
}

const dueSoonOf = async (borrower: Borrower) => (await borrower.notices()).flatMap(({ kind, date }) => (kind === 'due_soon' ? [date] : []))

it('an instalment is announced as due soon unless autopay debits it, whoever comes before it', async () => {
  const dueOn = toDay('2026-12-10')
  const debited = await newBorrower(app, { dueOn })
  await debited.setUp()
  const skipping = await newBorrower(app, { dueOn })
  await skipping.setUp()
  const [planned] = await skipping.collections()
  expect((await skipping.post(`/portal/autopay/collections/${planned?.collection_id}/skip`)).status).toBe(200)
  const byHand = await newBorrower(app, { dueOn })
  // The portal's own loop does not know this day yet.
  const worker = { ...app.context, clock: { now: () => new Date('2026-12-07T06:30:00Z') } }
  while ((await announceDue(worker, 1)) > 0);
  const kinds = await Promise.all([debited, skipping, byHand].map((borrower) => borrower.noticeKinds()))
  expect(kinds).toEqual([[], ['due_soon'], ['due_soon']])
})

it('after a failed debit, the next instalment is announced as due soon if the next debit pays the older one alone', async () => {
  const dueOn = toDay('2026-11-28')
  const nextDueOn = addMonths(dueOn, 1)
  const capped = await withFailedDebit(dueOn)
  await letInstalmentsBeAnnounced(nextDueOn)
  expect(await dueSoonOf(capped)).toEqual([nextDueOn])
  await announce(app, capped, 1)
  expect((await capped.collections())[1]?.parts).toMatchObject([{ due_date: dueOn }])
  const announced = (await capped.notices()).filter(({ kind }) => kind === 'autopay_announced')
  expect(announced).toMatchObject([
    { date: dueOn, subject: null },
    { date: nextDueOn, subject: dueOn },
  ])
  expect(await dueSoonOf(capped)).toEqual([nextDueOn])
})

it('after a failed debit, the next instalment is not announced as due soon if the next debit pays both', async () => {
  const dueOn = toDay('2026-11-29')
  const both = await withFailedDebit(dueOn, { max_amount: 12_000 })
  await letInstalmentsBeAnnounced(addMonths(dueOn, 1))
  expect(await dueSoonOf(both)).toEqual([])
})

it('an instalment that was not announced as due soon is announced when its debit then pays an older one alone', async () => {
  const dueOn = toDay('2026-12-01')
  const nextDueOn = addMonths(dueOn, 1)
  const borrower = await withFailedDebit(dueOn)
  const [failed] = await borrower.collections()
  const retried = await borrower.post(`/portal/autopay/collections/${failed?.collection_id}/retry`, { date: addDays(nextDueOn, -3) })
  expect(retried.status).toBe(200)
  const index = (await borrower.collections()).findIndex(({ attempt }) => attempt === 2)
  const { reference } = await announce(app, borrower, index)
  await app.sandbox('/debits/next', { receipt: reference, ...insufficientFunds, after_seconds: 30 * 3_600 })
  await present(app, borrower, index)
  await letInstalmentsBeAnnounced(nextDueOn)
  expect(await dueSoonOf(borrower)).toEqual([])
  await moveTo(app, addDays(nextDueOn, -2), 13)
  await borrower.collection('failed', index)
  await app.clock.advance(minutes(11))
  await borrower.collection('announced', 1)
  expect(await dueSoonOf(borrower)).toEqual([nextDueOn])
})

it('a debit that cannot be announced in time: the instalment is announced as due soon, and after five days the debit is given up', async () => {
  const dueOn = toDay('2026-12-03')
  const borrower = await newBorrower(app, { dueOn })
  await borrower.setUp()
  await app.sandbox('/faults', { call: 'token', kind: 'status', status: 503, times: 'forever' })
  await moveTo(app, addDays(dueOn, -1), 12)
  await borrower.collection('planned')
  expect(await dueSoonOf(borrower)).toEqual([])
  await moveTo(app, addDays(dueOn, -1), 22.7)
  await until(async () => (await dueSoonOf(borrower)).length > 0)
  await moveTo(app, addDays(dueOn, 1), 12)
  // The card names the first day that is still possible.
  expect((await borrower.autopay())['next_collection']).toMatchObject({ status: 'planned', debit_on: addDays(dueOn, 2) })
  await moveTo(app, addDays(dueOn, 5), 12)
  expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', announced_at: null })
  expect(await dueSoonOf(borrower)).toEqual([dueOn])
  expect(await borrower.notices()).toContainEqual(expect.objectContaining({ kind: 'autopay_skipped', subject: 'mandate' }))
  expect((await borrower.collections())[1]).toMatchObject({ status: 'planned', due_on: addMonths(dueOn, 1) })
})

it('a debit whose order is not confirmed in time: the instalment is announced as due soon, and after five days the debit is given up', async () => {
  const dueOn = toDay('2026-12-04')
  const borrower = await newBorrower(app, { dueOn })
  await borrower.setUp()
  await app.sandbox('/faults', { call: 'orders', kind: 'status', status: 503, times: 'forever' })
  await moveTo(app, addDays(dueOn, -2), 10.01)
  await until(async () => (await borrower.collections())[0]?.orders === 1)
  await moveTo(app, addDays(dueOn, -1), 22.7)
  await until(async () => (await dueSoonOf(borrower)).length > 0)
  await moveTo(app, addDays(dueOn, 5), 12)
  expect(await borrower.collection('skipped')).toMatchObject({ reason: 'mandate', announced_at: null })
})

it('a loan that was being checked for longer than that: its debit is announced late, and not given up', async () => {
  const dueOn = toDay('2026-12-05')
  const borrower = await newBorrower(app, { dueOn })
  await borrower.setUp()
  const sanction = (paise: bigint) =>
    app.database.asSystem((sql) =>
      sql
        .updateTable('loans')
        .set({ sanctioned_paise: paise as never })
        .where('loan_id', '=', borrower.key.loanId)
        .execute(),
    )
  await moveTo(app, addDays(dueOn, -3), 12)
  await sanction(100n)
  await moveTo(app, addDays(dueOn, -1), 22.7)
  expect((await borrower.state()).status).toBe('UNKNOWN')
  await looked(borrower)
  await moveTo(app, addDays(dueOn, 7), 12)
  await looked(borrower)
  await borrower.collection('planned')
  // That the provider does not answer just then is no reason either.
  await app.sandbox('/faults', { call: 'token', kind: 'status', status: 503, times: 'forever' })
  await sanction(10_000_000n)
  await app.clock.advance(minutes(11))
  await looked(borrower)
  await borrower.collection('planned')
  await app.sandbox('/faults', { clear: true })
  await app.clock.advance(minutes(3))
  expect(await borrower.collection('announced')).toMatchObject({ due_on: dueOn })
  expect(await borrower.noticeKinds()).not.toContain('autopay_skipped')
})

it('a debit behind one without outcome waits, and nobody is asked to pay what no link can pay', async () => {
  const dueOn = toDay('2026-11-28')
  const nextDueOn = addMonths(dueOn, 1)
  const borrower = await newBorrower(app, { dueOn })
  await borrower.setUp()
  const { reference } = await announce(app, borrower)
  await app.sandbox('/debits/next', { receipt: reference, outcome: 'success', after_seconds: 45 * 86_400 })
  await present(app, borrower)
  await moveTo(app, addDays(nextDueOn, -1), 22.7)
  await looked(borrower, 1)
  expect(await dueSoonOf(borrower)).toEqual([])
  await moveTo(app, addDays(nextDueOn, 7), 12)
  await looked(borrower, 1)
  await borrower.collection('planned', 1)
  expect(await borrower.noticeKinds()).not.toContain('autopay_skipped')
  await moveTo(app, addDays(dueOn, 46), 12)
  await borrower.collection('captured')
  expect(await borrower.collection('announced', 1)).toMatchObject({ due_on: nextDueOn })
})

/** Waits until a planned debit was looked at, and waits for its next look. */
const looked = (borrower: Borrower, index = 0) =>
  until(async () => {
    const row = (await borrower.collections())[index]
    return row !== undefined && (row.status !== 'planned' || row.next_check_at > app.clock.now())
  })
