import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { addMonths, dayInIndia, toDay } from '#domain/calendar.ts'
import { loanStateAtEndOf } from '#domain/loan-state.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { addLoan, addPerson, addProduct, educationLoan, type AddedLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { queryOnce } from '#testkit/test-database.ts'

/** The runbook's statements before an upgrade keep the EMIs that were billed and paid. */

const [list = '', giveEmi = '', giveReset = ''] = (
  /^-- 1\.\n(select l\.lan[\s\S]*?)^```/m.exec(readFileSync(join(import.meta.dirname, '../docs/runbook.md'), 'utf8'))?.[1] ?? ''
).split(';')
const now = new Date('2027-06-20T06:00:00Z')
let app: App
let key: AddedLoan

const asOwner = (statement: string) => queryOnce(app.databaseUrls.ownerUrl, statement)
const state = () =>
  app.database.asBorrower(key.borrowerId, async (sql) => {
    const { facts } = await lockOwnLoan(sql, key.borrowerId, key.loanId)
    const { status, nextInstalmentPaise, duesPaise, dpd } = loanStateAtEndOf(facts, dayInIndia(now))
    return { status, nextInstalmentPaise, duesPaise, dpd }
  })
const pay = (date: string, rupees: number, purpose: 'PART_PAYMENT__REDUCE_EMI' | null = null) =>
  withLockedLoan(app.database, key, now, (loan) => {
    const payment = { mode: 'neft', reference: `UTR${date}`, amountPaise: rupeesToPaise(rupees), date: toDay(date), purpose } as const
    return recordPayment(loan, payment)
  })

beforeAll(async () => {
  app = await startApp(inject('cluster'), { now })
  await addProduct(app.database, now, 'education', educationLoan)
  const borrowerId = await addPerson(app.database, now, { phone: '+919000000701', firstName: 'Meera', lastName: 'Joshi' })
  key = await addLoan(app.database, now, borrowerId, {
    lan: 'KST-26-001208',
    title: 'B.Sc. in physics',
    sanctionedRupees: 1_000_000,
    disbursals: [{ date: toDay('2026-01-05'), rupees: 1_000_000 }],
    annualRatePercent: 9,
    instalments: 120,
    firstDueDate: toDay('2026-02-05'),
  })
})
afterAll(() => app.close())

it('keep the EMI of a rate change after a part payment of the same period, which else falls overdue', async () => {
  const dues = (first: string, count: number) => Array.from({ length: count }, (_, index) => addMonths(toDay(first), index))
  for (const date of dues('2026-02-05', 11)) await pay(date, 12_668)
  await pay('2026-12-10', 400_000, 'PART_PAYMENT__REDUCE_EMI')
  await app.database.asSystem((sql) =>
    sql
      .insertInto('rate_changes')
      .values({
        borrower_id: key.borrowerId,
        loan_id: key.loanId,
        effective_on: toDay('2026-12-20'),
        annual_rate_ppb: 80_000_000n,
        // So the version before computed and posted it.
        keep: 'both',
        instalment_paise: rupeesToPaise(6_934),
      })
      .execute(),
  )
  await pay('2027-01-05', 12_668)
  for (const date of dues('2027-02-05', 5)) await pay(date, 6_934)
  await asOwner("update rate_changes set keep = 'instalment', instalment_paise = null")
  expect(await state()).toEqual({ status: 'OVERDUE', nextInstalmentPaise: 721_700n, duesPaise: 391_500n, dpd: 16 })
  expect(await asOwner(list)).toEqual([{ lan: 'KST-26-001208', effective_on: new Date('2026-12-20') }])
  await asOwner(giveEmi)
  await asOwner(giveReset)
  expect(await state()).toEqual({ status: 'ACTIVE', nextInstalmentPaise: 693_400n, duesPaise: 0n, dpd: 0 })
  await expectInvariantsHold(app)
})
