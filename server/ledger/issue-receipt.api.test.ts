import { sql as raw } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { runBulkTransaction } from '#server/database/bulk.ts'
import { readReceiptNumber } from './receipt-store.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { syncRecurringPayment } from '#server/autopay/sync-by-name.ts'
import { reconcileDay } from '#server/payments/reconciliation/reconcile-day.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'

/** Payments posted by a process of an older release without receipts get their receipts later. */

let app: App
/** Loans of two borrowers, both with past payments by link. */
const [lan, other] = ['KST-22-000045', 'KST-24-004173']

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

const receipts = () =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('receipts')
      .innerJoin('loans', (join) =>
        join.onRef('loans.borrower_id', '=', 'receipts.borrower_id').onRef('loans.loan_id', '=', 'receipts.loan_id'),
      )
      .select(['receipt_number', 'transaction_id', 'receipts.amount_paise', 'bank_reference'])
      .where('lan', 'in', [lan, other])
      .orderBy('lan')
      .orderBy('sequence')
      .execute(),
  )

/**
 * Deletes the last receipts of these loans with the owner's login, as if an older release had
 * posted the payments.
 */
const forget = (count: number, ...lans: string[]) =>
  runBulkTransaction(app.databaseUrls.superuserUrl, async ({ sql }) => {
    await raw`delete from receipts r using loans l where l.loan_id = r.loan_id and l.lan = any(${lans})
      and r.sequence > (select max(sequence) - ${count} from receipts where loan_id = r.loan_id)`.execute(sql)
  })

const record = (reference: string) =>
  app.database.asSystem(async (sql) => {
    const { borrower_id, loan_id } = await sql.selectFrom('loan_numbers').selectAll().where('lan', '=', other).executeTakeFirstOrThrow()
    const now = app.clock.now()
    const money = { mode: 'neft', reference, amountPaise: rupeesToPaise(500), date: dayInIndia(now), purpose: null } as const
    const own = await lockOwnLoan(sql, borrower_id, loan_id)
    const { isNew, paymentId } = await recordPayment(sql, own, money, now, 'operator')
    return { isNew, receiptNumber: await readReceiptNumber(sql, own.loan, paymentId) }
  })

describe('payments without receipts', () => {
  it('get them from the daily reconciliation, numbered in the order of posting', async () => {
    const before = await receipts()
    await forget(3, lan, other)
    expect(await receipts()).toHaveLength(before.length - 6)
    await reconcileDay(app.context, dayInIndia(app.clock.now()), syncRecurringPayment)
    expect(await receipts()).toEqual(before)
    await reconcileDay(app.context, dayInIndia(app.clock.now()), syncRecurringPayment)
    expect(await receipts()).toEqual(before)
  })

  it('get them before a new payment of the loan gets its own', async () => {
    const before = (await receipts()).filter(({ receipt_number }) => receipt_number.startsWith(other))
    await forget(2, other)
    const { receiptNumber } = await record('UTRN2026112000009')
    expect(receiptNumber).toBe(`${other}-R${before.length + 1}`)
    expect((await receipts()).filter(({ receipt_number }) => receipt_number.startsWith(other)).slice(0, -1)).toEqual(before)
  })

  it('get them when the same payment is recorded again', async () => {
    await forget(1, other)
    expect(await record('UTRN2026112000009')).toMatchObject({ isNew: false, receiptNumber: (await receipts()).at(-1)?.receipt_number })
  })
})
