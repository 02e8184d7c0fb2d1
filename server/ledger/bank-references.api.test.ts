import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { normalizeBankReference } from './bank-reference-store.ts'
import { recordPayment, type PaymentMode } from '../loan-changes/record-payment.ts'
import { reversePayment } from '../loan-changes/reverse-payment.ts'

const [first, second] = ['KST-25-001208', 'KST-24-007790'] as const
/** Another loan of the borrower of the first. */
const sibling = 'KST-21-000317'
let context: TestContext
let now: Date
beforeAll(async () => {
  context = await openTestContext(inject('cluster'), { town: true })
  now = context.clock.now()
})
afterAll(() => context.close())

async function record(lan: string, reference: string, mode: PaymentMode = 'neft') {
  const { borrowerId = '', loanId = '' } = (await context.database.asSystem((sql) => findLoanKey(sql, lan))) ?? {}
  const payment = { mode, reference, amountPaise: rupeesToPaise(100), date: dayInIndia(now), purpose: null }
  return withLockedLoan(context.database, { borrowerId, loanId }, now, (loan) => recordPayment(loan, payment))
}
async function reverse(lan: string, reference: string) {
  const { borrowerId = '', loanId = '' } = (await context.database.asSystem((sql) => findLoanKey(sql, lan))) ?? {}
  return withLockedLoan(context.database, { borrowerId, loanId }, now, (loan) => reversePayment(loan, 'neft', reference))
}

describe('a bank reference', () => {
  it('is unique over all borrowers and payment modes, in every spelling', async () => {
    expect((await record(first, 'HDFCN52026112000017')).isNew).toBe(true)
    expect((await record(first, 'HDFCN52026112000017')).isNew).toBe(false)
    for (const [reference, mode] of [
      ['HDFCN52026112000017', 'neft'],
      ['hdfcn-52026112-000017', 'neft'],
      ['HDFCN5/2026112000017', 'rtgs'],
    ] as const)
      await expect(record(second, reference, mode)).rejects.toThrow('is the reference of another payment already')
    await expect(record(first, 'hdfcn52026112000017')).rejects.toThrow('is the reference of another payment already')
    await expectInvariantsHold(context)
  })
  it('is reserved for one of two simultaneous payments', async () => {
    const answers = await Promise.allSettled([record(first, 'UTR-AT-ONCE'), record(second, 'UTR-AT-ONCE')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
  it('is free again for the right loan once the payment is reversed on the wrong one', async () => {
    await record(first, 'UTR-WRONG-LOAN')
    await expect(record(second, 'UTR-WRONG-LOAN')).rejects.toThrow('another payment already')
    await reverse(first, 'UTR-WRONG-LOAN')
    expect((await record(second, 'UTR-WRONG-LOAN')).isNew).toBe(true)
    await expectInvariantsHold(context)
  })
  it('is free again for the same borrower too: for another loan, and for the same one after a mistaken reversal', async () => {
    const taken = 'was recorded before with another loan'
    const onFirst = await record(first, 'UTR-OTHER-LOAN')
    await expect(record(sibling, 'UTR-OTHER-LOAN')).rejects.toThrow(taken)
    await reverse(first, 'UTR-OTHER-LOAN')
    const moved = await record(sibling, 'UTR-OTHER-LOAN')
    expect([onFirst.isNew, moved.isNew]).toEqual([true, true])
    expect(await record(sibling, 'UTR-OTHER-LOAN')).toMatchObject({ isNew: false, paymentId: moved.paymentId })
    await expect(record(first, 'UTR-OTHER-LOAN')).rejects.toThrow(taken)
    await expect(record(second, 'UTR-OTHER-LOAN')).rejects.toThrow('another payment already')
    await expect(reverse(first, 'UTR-OTHER-LOAN')).rejects.toThrow('was reversed before')
    expect((await reverse(sibling, 'UTR-OTHER-LOAN')).paymentId).toBe(moved.paymentId)
    const back = await record(first, 'UTR-OTHER-LOAN')
    expect([back.isNew, (await record(first, 'UTR-OTHER-LOAN')).paymentId]).toEqual([true, back.paymentId])
    await expectInvariantsHold(context)
  })
  it('is free again for one of two simultaneous payments on loans of one borrower', async () => {
    await record(first, 'UTR-AGAIN-AT-ONCE')
    await reverse(first, 'UTR-AGAIN-AT-ONCE')
    const answers = await Promise.allSettled([record(first, 'UTR-AGAIN-AT-ONCE'), record(sibling, 'UTR-AGAIN-AT-ONCE')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expectInvariantsHold(context)
  })
  it('is not a cheque number, which is unique only within its bank', async () => {
    expect((await record(first, '000123', 'cheque')).isNew).toBe(true)
    expect((await record(second, '000123', 'cheque')).isNew).toBe(true)
    expect([
      normalizeBankReference('cash', '1'),
      normalizeBankReference('razorpay', 'pay_1'),
      normalizeBankReference('upi', ' 12-ab '),
    ]).toEqual([null, null, '12AB'])
  })
  it('that two borrowers already share is reviewed, and the migration does not fail', async () => {
    const owner = new pg.Client({ connectionString: context.ownerUrl })
    await owner.connect()
    try {
      await record(first, 'UTR-FROM-BEFORE')
      await owner.query("delete from bank_references where reference = 'UTRFROMBEFORE'")
      await record(second, 'UTR-FROM-BEFORE')
      await owner.query('drop table bank_references, idempotent_requests')
      await owner.query(readFileSync(join(import.meta.dirname, '../database/migrations/0018_idempotency_bank_references.sql'), 'utf8'))
      const { rows } = await owner.query<{ detail: { reference: string } }>(
        "select detail from payment_reviews where kind = 'duplicate_bank_reference'",
      )
      expect(rows.map(({ detail }) => detail.reference)).toEqual(['UTR-FROM-BEFORE'])
      const taken = await owner.query('select reference from bank_references order by reference')
      expect(taken.rows).toEqual(
        expect.arrayContaining([{ reference: 'HDFCN52026112000017' }, { reference: 'UTRFROMBEFORE' }, { reference: 'UTRWRONGLOAN' }]),
      )
    } finally {
      await owner.end()
    }
  })
})
