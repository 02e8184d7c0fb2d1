import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { InvariantViolation } from '#domain/invariants.ts'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { readLedger } from '../ledger/ledger-store.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { createLog } from '../log.ts'
import { lockOwnLoan } from './own-loan.ts'

const now = new Date('2026-11-20T05:00:00Z')
const phone = '+919000000501'
const log: Record<string, unknown>[] = []
let app: App
let key: AddedLoan
let token: string

beforeAll(async () => {
  const into = new Writable({ write: (chunk: Buffer, _encoding, done) => (log.push(JSON.parse(chunk.toString())), done()) })
  app = await startApp(inject('cluster'), { now, log: createLog({ logLevel: 'error', production: true }, into) })
  await addProduct(app.database, now, 'daily', { ...educationLoan, interest: 'actual_365' })
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Test', lastName: 'Person' })
  // Unpaid for more than a century at 1000 % a year: more interest than the engine counts exactly.
  key = await addLoan(app.database, now, borrowerId, {
    lan: 'V-1',
    leadId: 'lead-v-1',
    title: 'Test',
    product: 'daily',
    sanctionedRupees: 4_000_000_000_000,
    disbursals: [{ date: toDay('1900-01-05'), rupees: 4_000_000_000_000 }],
    annualRatePercent: 1000,
    instalments: 1,
    firstDueDate: toDay('1900-02-05'),
  })
  token = await app.signIn(phone)
})
afterAll(() => app.close())

describe('a loan whose figures violate an invariant', () => {
  it('is read as UNKNOWN with nothing to pay, and logged with its number', async () => {
    const { status, body } = await app.get('/portal/loans-summary', token)
    expect(status).toBe(200)
    expect(body).toMatchObject({ loans: [{ lan: 'V-1', loan_status: 'UNKNOWN', disbursed_amount: 4_000_000_000_000, dues: 0 }] })
    expect(log).toContainEqual(
      expect.objectContaining({
        level: 50,
        msg: 'loan state violates an invariant',
        loan: 'V-1',
        violation: expect.stringContaining('exact range of numbers'),
      }),
    )
    const schedule = await app.get('/portal/repayment-schedule?lead_id=lead-v-1', token)
    expect(schedule.body).toMatchObject({ allowed_payments: { overdue_payment: { amount: 0 }, part_payment: { max_allowed_amount: 0 } } })
  })

  it('gets no payment posted: the write is refused and rolled back', async () => {
    const inLedger = () =>
      app.database.asBorrower(key.borrowerId, async (sql) => {
        const { loan, facts } = await lockOwnLoan(sql, key.borrowerId, key.loanId)
        return { kinds: (await readLedger(sql, loan)).transactions.map(({ kind }) => kind), payments: facts.payments.length }
      })
    const before = await inLedger()
    const record = withLockedLoan(app.database, key, now, (loan) =>
      recordPayment(loan, { mode: 'neft', reference: 'N-1', amountPaise: rupeesToPaise(1_000), date: toDay('2026-11-19'), purpose: null }),
    )
    await expect(record).rejects.toThrow(InvariantViolation)
    expect(await inLedger()).toEqual(before)
    expect(before).toEqual({ kinds: ['disbursal'], payments: 0 })
  })
})
