import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { annualPercentageRate } from '#domain/apr.ts'
import { addDays, toDay, type Day } from '#domain/calendar.ts'
import { rupeesToPaise, zeroPaise } from '#domain/money.ts'
import { addLoan, addPerson, type AddedLoan } from '#testkit/builders.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { disburse } from '../loan-changes/disburse.ts'
import { lockOwnLoan, readOwnLoanById } from './own-loan.ts'

const now = new Date('2026-11-20T05:00:00Z')
let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now })
})
afterEach(() => expectInvariantsHold(app))
afterAll(() => app.close())

/** Stores other rates in all loans, or in one. */
const setRates = (rate: { apr_basis_points: bigint | null; apr_disbursed_on?: Day | null }, lan?: string) =>
  app.database.asSystem(async (sql) => {
    const loans = sql.updateTable('loans').set(rate)
    await (lan === undefined ? loans : loans.where('lan', '=', lan)).execute()
  })
const forget = () => setRates({ apr_basis_points: null, apr_disbursed_on: null })
const storedRates = () =>
  app.database.asSystem((sql) => sql.selectFrom('loans').select(['lan', 'apr_basis_points', 'apr_disbursed_on']).orderBy('lan').execute())
const summaryOf = async (token: string) => (await app.get('/portal/loans-summary', token)).body['loans'] as Record<string, unknown>[]
const ratesOf = async (token: string) => (await summaryOf(token)).map((loan) => loan['annual_percentage_rate'])

let people = 0
/** A loan of ₹2,00,000 of which half is disbursed. */
async function addHalfDisbursed(): Promise<AddedLoan & { phone: string }> {
  const phone = `+9198765400${String((people += 1)).padStart(2, '0')}`
  const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Nisha', lastName: 'Verma' })
  const key = await addLoan(app.database, now, borrowerId, {
    lan: `KST-APR-${people}`,
    title: 'B.Sc. in physics',
    sanctionedOn: toDay('2026-10-01'),
    sanctionedRupees: 200_000,
    disbursals: [{ date: toDay('2026-10-20'), rupees: 100_000 }],
    annualRatePercent: 11,
    instalments: 24,
    firstDueDate: toDay('2026-12-05'),
  })
  return { ...key, phone }
}

const readOwn = ({ borrowerId, loanId }: AddedLoan) =>
  app.database.asBorrower(borrowerId, (sql) => readOwnLoanById(sql, borrowerId, loanId))

it('every loan of the town that was disbursed has a rate', async () => {
  const rates = await storedRates()
  expect(rates.length).toBeGreaterThan(5)
  expect(rates.filter(({ apr_basis_points: rate }) => rate === null)).toEqual([])
})

it('the first read of a loan without a rate stores the same rate', async () => {
  const token = await app.signIn(demoPhone(2))
  const [before, answered] = [await storedRates(), await summaryOf(token)]
  await forget()
  expect(await summaryOf(token)).toEqual(answered)
  const ofThem = ({ lan }: { lan: string }) => answered.some((loan) => loan['lan'] === lan)
  expect((await storedRates()).filter(ofThem)).toEqual(before.filter(ofThem))
})

it('a stored rate is answered as it is, without computing it', async () => {
  const key = await addHalfDisbursed()
  const token = await app.signIn(key.phone)
  const [rate] = await ratesOf(token)
  await setRates({ apr_basis_points: 4321n }, key.lan)
  expect(await ratesOf(token)).toEqual([43.21])
  await setRates({ apr_basis_points: BigInt(Math.round(Number(rate) * 100)) }, key.lan)
})

it('a read waits for nobody who changes the loan, and a later one stores the rate', async () => {
  const key = await addHalfDisbursed()
  const token = await app.signIn(key.phone)
  const rates = await ratesOf(token)
  await forget()
  await app.database.asBorrower(key.borrowerId, async (sql) => {
    await lockOwnLoan(sql, key.borrowerId, key.loanId)
    expect(await ratesOf(token)).toEqual(rates)
  })
  expect((await readOwn(key)).loan.apr_basis_points).toBeNull()
  await ratesOf(token)
  expect((await readOwn(key)).loan.apr_basis_points).not.toBeNull()
})

it('an earlier first disbursal stores the rate of its day, a later one changes nothing', async () => {
  const key = await addHalfDisbursed()
  const { loan: before } = await readOwn(key)
  const add = (date: string) =>
    withLockedLoan(app.database, key, now, (loan) =>
      disburse(loan, { date: toDay(date), amountPaise: rupeesToPaise(10_000), reference: null }),
    )
  await add('2026-11-10')
  expect((await readOwn(key)).loan).toMatchObject({ apr_basis_points: before.apr_basis_points, apr_disbursed_on: '2026-10-20' })
  await add('2026-10-01')
  const { loan, facts } = await readOwn(key)
  const flows = [{ date: toDay('2026-10-01'), amountPaise: rupeesToPaise(200_000) }]
  const { aprPpb } = annualPercentageRate(facts.terms, flows, zeroPaise)
  expect(loan).toMatchObject({ apr_basis_points: BigInt(Math.round(aprPpb / 100_000)), apr_disbursed_on: '2026-10-01' })
  expect(loan.apr_basis_points).not.toBe(before.apr_basis_points)
})

it('the rate of another first disbursal, which the version before left, is not used', async () => {
  const key = await addHalfDisbursed()
  const token = await app.signIn(key.phone)
  const rates = await ratesOf(token)
  const wrongDay = addDays(toDay('2026-10-20'), 9)
  const { aprPpb } = annualPercentageRate(
    (await readOwn(key)).facts.terms,
    [{ date: wrongDay, amountPaise: rupeesToPaise(200_000) }],
    zeroPaise,
  )
  await setRates({ apr_basis_points: BigInt(Math.round(aprPpb / 100_000)), apr_disbursed_on: wrongDay }, key.lan)
  expect(await ratesOf(token)).toEqual(rates)
  expect((await readOwn(key)).loan.apr_disbursed_on).toBe('2026-10-20')
})
