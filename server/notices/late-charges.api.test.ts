import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { addDays, addMonths, toDay, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { rupeesToPaise, zeroPaise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { presentDebit } from '#testkit/presented-debit.ts'
import { noon, startApp, until, type App } from '#testkit/start-app.ts'
import { receiveMoney } from '../ledger/receive-money.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { purgeExpired } from '../privacy/purge-expired.ts'
import { announceLateCharges } from './announce-late-charges.ts'
import { findNextRunDay } from './daily-run-store.ts'

/** Noon in India. Grace is three days: a late charge is of the fourth day after the due date. */
let app: App
let people = 0

beforeAll(async () => {
  // The portal makes the first run, of today; the tests make the later ones.
  app = await startApp(inject('cluster'), { now: noon, settings: { KIST_SWEEP_INTERVAL_MS: '600000', KIST_NOTICE_RETENTION_DAYS: '90' } })
  await addProduct(app.database, noon, 'education', educationLoan)
  await until(async () => (await nextDay('2026-11-20')) === null)
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const nextDay = (today: string) => app.database.asSystem((sql) => findNextRunDay(sql, 'late charges', toDay(today)))

async function newLoan(dueOn: Day): Promise<AddedLoan> {
  people += 1
  const number = String(people).padStart(5, '0')
  const borrowerId = await addPerson(app.database, noon, { phone: `+9198766${number}`, firstName: 'Meera', lastName: 'Joshi' })
  return addLoan(app.database, noon, borrowerId, {
    lan: `KST-LC-${number}`,
    title: 'B.Sc. in physics',
    sanctionedRupees: 100_000,
    disbursals: [{ date: addMonths(dueOn, -1), rupees: 100_000 }],
    annualRatePercent: 12,
    instalments: 12,
    firstDueDate: dueOn,
  })
}
const pay = (key: AddedLoan, date: Day, now = app.clock.now()) =>
  withLockedLoan(app.database, key, now, (loan) => {
    const amountPaise = loanStateDuring(loan.own.facts, date).allowed.nextEmi?.amountPaise ?? zeroPaise
    const reference = `UTR${key.loanId}`
    return recordPayment(loan, { mode: 'neft', reference, amountPaise, date, purpose: 'PAY_EMI' })
  })
const at = (instant: string) => ({ ...app.context, clock: { now: () => new Date(instant) } })
/** Makes the runs of all days up to noon of one, with one borrower in a batch. */
async function runUntil(day: string): Promise<void> {
  while ((await nextDay(day)) !== null) await announceLateCharges(at(`${day}T06:30:00Z`), 1)
}
const notices = ({ borrowerId }: AddedLoan) =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('notices')
      .select(['about', 'about_on', 'amount_paise', 'sms'])
      .where('borrower_id', '=', borrowerId)
      .where('kind', '=', 'late_charge')
      .orderBy('about_on')
      .execute(),
  )
const noticeOf = ({ loanId }: AddedLoan, dueOn: Day) => ({
  about: `late:${loanId}:late:${dueOn}`,
  about_on: dueOn,
  amount_paise: rupeesToPaise(500),
  sms: 'waiting',
})

it('each late charge is announced once, also of days without a worker, and none of before the first run', async () => {
  const [longAgo, dueOn] = [toDay('2026-11-10'), toDay('2026-11-18')]
  const [old, late, other, paid] = [await newLoan(longAgo), await newLoan(dueOn), await newLoan(addDays(dueOn, 1)), await newLoan(dueOn)]
  await pay(paid, dueOn)
  // Before nine in the morning nobody is told.
  expect(await announceLateCharges(at('2026-11-22T02:00:00Z'))).toBe(0)
  expect(await nextDay('2026-11-22')).toBe('2026-11-21')
  await runUntil('2026-11-24')
  expect(await notices(late)).toEqual([noticeOf(late, dueOn)])
  expect(await notices(other)).toEqual([noticeOf(other, addDays(dueOn, 1))])
  expect([await notices(old), await notices(paid)]).toEqual([[], []])
  await app.database.asSystem((sql) =>
    sql.updateTable('daily_runs').set({ finished_at: null, after_borrower_id: '00000000-0000-0000-0000-000000000000' }).execute(),
  )
  await runUntil('2026-11-24')
  expect(await notices(late)).toHaveLength(1)
})

it('a charge that was paid in part before the run is announced, one that money of before has removed is not', async () => {
  await app.clock.advance(5 * 86_400_000)
  const dueOn = toDay('2026-11-21')
  const [inPart, inTime] = [await newLoan(dueOn), await newLoan(dueOn)]
  const date = toDay('2026-11-25')
  const payment = { mode: 'neft', reference: 'UTRPART', amountPaise: rupeesToPaise(9_000), date, purpose: null } as const
  await withLockedLoan(app.database, inPart, app.clock.now(), (loan) => recordPayment(loan, payment))
  await pay(inTime, dueOn)
  await runUntil('2026-11-25')
  expect(await notices(inPart)).toEqual([noticeOf(inPart, dueOn)])
  expect(await notices(inTime)).toEqual([])
})

it('a charge that waited for a debit, or for money that was taken back, is announced on its day', async () => {
  const dueOn = toDay('2026-11-12')
  const [reversed, debited] = [await newLoan(dueOn), await newLoan(dueOn)]
  await pay(reversed, dueOn, noon)
  const { borrowerId, loanId } = reversed
  const reversedAt = new Date('2026-11-26T06:30:00Z')
  await withLockedLoan(app.database, { borrowerId, loanId }, reversedAt, (loan) => reversePayment(loan, 'neft', `UTR${loanId}`))
  const urls = { database: app.database, superuserUrl: app.databaseUrls.superuserUrl }
  const { remove } = await presentDebit(urls, debited, { now: noon, expectedBy: noon })
  await app.database.asSystem((sql) =>
    sql
      .updateTable('collections')
      .set({
        status: 'failed',
        failure_class: 'funds',
        parts: JSON.stringify([{ due_date: dueOn, amount_paise: '888500' }]),
        outcome_on: toDay('2026-11-26'),
        ended_at: reversedAt,
      })
      .where('loan_id', '=', debited.loanId)
      .execute(),
  )
  await runUntil('2026-11-26')
  expect([await notices(reversed), await notices(debited)]).toEqual([[], []])
  await runUntil('2026-11-27')
  expect(await notices(reversed)).toEqual([noticeOf(reversed, dueOn)])
  expect(await notices(debited)).toEqual([noticeOf(debited, dueOn)])
  await remove()
})

it('charges of earlier days, which arise when the bank takes back money of a link, are announced the day after', async () => {
  const dueOn = toDay('2026-10-12')
  const loan = await newLoan(dueOn)
  await payInstalments(app.database, loan, 2)
  const takenAt = new Date('2026-11-28T06:30:00Z')
  await runUntil('2026-11-28')
  await withLockedLoan(app.database, loan, takenAt, async (locked) => {
    const { provider_payment_id: first } = await locked.sql
      .selectFrom('provider_payments')
      .selectAll()
      .orderBy('paid_at')
      .executeTakeFirstOrThrow()
    await reversePayment(locked, 'razorpay', first, true)
  })
  await runUntil('2026-11-29')
  expect(await notices(loan)).toEqual([noticeOf(loan, dueOn), noticeOf(loan, toDay('2026-11-12'))])
})

it('a charge that the quote of the evening before does not contain is not announced to who paid by it', async () => {
  const [dueOn, day] = [toDay('2026-11-26'), toDay('2026-11-30')]
  const [quoted, late] = [await newLoan(dueOn), await newLoan(dueOn)]
  const { borrowerId, loanId } = quoted
  await app.database.asBorrower(borrowerId, async (sql) => {
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    const money = {
      source: 'neft',
      sourceId: 'UTRNIGHT',
      account: 'collection_bank',
      date: day,
      quotedAheadFor: day,
      purpose: 'OVERDUE',
    } as const
    await receiveMoney(sql, own, { ...money, amountPaise: rupeesToPaise(8_885) }, new Date('2026-11-29T18:35:00Z'), 'razorpay')
    const { facts } = await lockOwnLoan(sql, borrowerId, loanId)
    expect(loanStateDuring(facts, day)).toMatchObject({ duesPaise: 0n, derivedCharges: [{ date: day }] })
  })
  await runUntil('2026-11-30')
  expect(await notices(quoted)).toEqual([])
  expect(await notices(late)).toEqual([noticeOf(late, dueOn)])
})

it('charges that were paid before any was announced, or before the loan was imported, are not announced after a reversal', async () => {
  const dueOn = toDay('2026-09-10')
  const loan = await newLoan(dueOn)
  const { borrowerId, loanId } = loan
  const record = (reference: string, rupees: number, date: Day, now: Date) =>
    withLockedLoan(app.database, loan, now, (locked) =>
      recordPayment(locked, { mode: 'neft', reference, amountPaise: rupeesToPaise(rupees), date, purpose: null }),
    )
  // An instalment and its late charge, then those that followed, in time.
  await record('UTRLATE', 9_385, toDay('2026-09-25'), noon)
  await record('UTRNEXT', 8_885, toDay('2026-10-10'), noon)
  await record('UTRTHIRD', 8_885, toDay('2026-11-10'), noon)
  await record('UTRWRONG', 700, toDay('2026-11-12'), noon)
  await runUntil('2026-12-01')
  await withLockedLoan(app.database, { borrowerId, loanId }, new Date('2026-12-01T06:30:00Z'), (loan) =>
    reversePayment(loan, 'neft', 'UTRWRONG'),
  )
  await runUntil('2026-12-02')
  expect(await notices(loan)).toEqual([])
})

it('a charge whose notice may have been deleted since is not announced again after a reversal', async () => {
  const dueOn = toDay('2026-11-29')
  const loan = await newLoan(dueOn)
  const { borrowerId, loanId } = loan
  await runUntil('2026-12-03')
  expect(await notices(loan)).toEqual([noticeOf(loan, dueOn)])
  const wrong = { mode: 'neft', reference: 'UTRSMALL', amountPaise: rupeesToPaise(100), date: toDay('2026-12-04'), purpose: null } as const
  await withLockedLoan(app.database, { borrowerId, loanId }, new Date('2026-12-04T06:30:00Z'), (loan) => recordPayment(loan, wrong))
  // The days until March have no run.
  const finished = { name: 'late charges', run_on: toDay('2027-03-18'), after_borrower_id: borrowerId, finished_at: noon }
  await app.database.asSystem((sql) => sql.insertInto('daily_runs').values(finished).execute())
  const takenAt = '2027-03-19T06:30:00Z'
  await purgeExpired(at(takenAt))
  expect(await notices(loan)).toEqual([])
  await withLockedLoan(app.database, { borrowerId, loanId }, new Date(takenAt), (loan) => reversePayment(loan, 'neft', 'UTRSMALL'))
  await runUntil('2027-03-20')
  const later = ['2026-12-29', '2027-01-29', '2027-02-28'].map((day) => noticeOf(loan, toDay(day)))
  expect(await notices(loan)).toEqual(later)
})
