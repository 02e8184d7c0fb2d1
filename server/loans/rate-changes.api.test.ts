import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, type App } from '#testkit/start-app.ts'

const now = new Date('2026-11-20T05:00:00Z')
const phone = '+919000000601'
let app: App
let key: AddedLoan
let token: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now })
  await addProduct(app.database, now, 'floating', educationLoan)
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Test', lastName: 'Person' })
  key = await addLoan(app.database, now, borrowerId, {
    lan: 'RC-1',
    leadId: 'lead-rc-1',
    title: 'Test',
    product: 'floating',
    sanctionedRupees: 120_000,
    disbursals: [{ date: toDay('2026-11-05'), rupees: 120_000 }],
    annualRatePercent: 12,
    instalments: 12,
    firstDueDate: toDay('2026-12-05'),
  })
  token = await app.signIn(phone)
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

const addRateChange = (effectiveOn: string, keep: string, instalmentPaise: bigint | null) =>
  app.database.asSystem((sql) =>
    sql
      .insertInto('rate_changes')
      .values({
        borrower_id: key.borrowerId,
        loan_id: key.loanId,
        effective_on: toDay(effectiveOn),
        annual_rate_ppb: 180_000_000n,
        keep,
        instalment_paise: instalmentPaise === null ? null : paise(instalmentPaise),
      })
      .execute(),
  )

describe('a rate change that gives the EMI', () => {
  it('is stored with the EMI, and the schedule follows it', async () => {
    await addRateChange('2026-11-05', 'both', 2_000_000n)
    const schedule = await app.get('/portal/repayment-schedule?lead_id=lead-rc-1', token)
    const rows = schedule.body['repayment_schedule'] as { repayment_amount: number; interest_amount: number }[]
    expect(rows.map(({ repayment_amount }) => repayment_amount).slice(0, 6)).toEqual(Array(6).fill(20_000))
    expect([rows.length, rows[0]?.interest_amount]).toEqual([7, 1800])
    const summary = await app.get('/portal/loans-summary', token)
    expect(summary.body).toMatchObject({ loans: [{ emi_amount: 20_000, interest_rate: 18 }] })
  })

  it('is explained as chosen, with the number of instalments', async () => {
    const { body } = await app.get('/portal/explain?lan=RC-1&what=instalment', token)
    expect(body['steps']).toMatchObject([{ step: 'instalment', amount: 20_000, instalments: 7, is_fixed: false, is_given: true }])
  })

  it.each<[string, string, bigint | null]>([
    ['both without an EMI', 'both', null],
    ['a kept number of instalments with an EMI', 'tenor', 100n],
    ['an EMI of nothing', 'both', 0n],
    ['another word', 'neither', null],
  ])('the database refuses %s', async (_name, keep, instalmentPaise) => {
    await expect(addRateChange('2026-12-01', keep, instalmentPaise)).rejects.toThrow(/violates check constraint/)
  })
})
