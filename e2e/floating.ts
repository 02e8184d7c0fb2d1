import { expect, type Page } from '@playwright/test'
import type { RateReset } from '#contract/rate-resets.ts'
import { addDays, addMonths, dayInIndia, type Day } from '#domain/calendar.ts'
import { findRun } from '#server/rate-resets/run-store.ts'
import { requestRun } from '#server/rate-resets/request-run.ts'
import { withdrawReset } from '#server/rate-resets/withdraw-reset.ts'
import { changeLoanInTransaction } from '#server/loan-changes/change-loan.ts'
import { unnamedOperator } from '#server/staff/operator.ts'
import { addPerson, type AddedLoan } from '#testkit/builders.ts'
import { addFloatingLoan, addFloatingProduct, benchmarkCode, publishRate } from '#testkit/floating-loan.ts'
import { payInstalments } from '#testkit/paid-history.ts'
import { until, type App } from '#testkit/start-app.ts'
import { newPhone, type Borrower } from './people.ts'

/** The loan was at 11 percent; the run resets it to 11.75. */
export type FloatingBorrower = Borrower & { token: string; effectiveOn: Day }

/** Days from the run to the new rate. */
const daysAhead = 20
let loans = 0

/** A borrower with a floating loan, 6 of 120 instalments paid, whose new rate is announced. */
export async function newFloatingBorrower(portal: App): Promise<FloatingBorrower> {
  const now = portal.clock.now()
  const today = dayInIndia(now)
  await prepareFloatingProduct(portal)
  loans += 1
  const phone = newPhone()
  const person = { firstName: 'Nisha', lastName: 'Verma', email: 'nisha.verma@example.in', emailVerified: true }
  const borrowerId = await addPerson(portal.database, now, { phone, ...person })
  const lan = `KST-31-${String(loans).padStart(6, '0')}`
  const key = await addFloatingLoan(portal.database, now, borrowerId, { lan, firstDue: addMonths(addDays(today, 5), -6) })
  await payInstalments(portal.database, key, 6)
  const effectiveOn = addDays(today, daysAhead)
  await resetRates(portal, effectiveOn)
  return { ...key, phone, token: await portal.signIn(phone), effectiveOn }
}

async function prepareFloatingProduct({ database, clock }: App): Promise<void> {
  const products = await database.asSystem((sql) =>
    sql.selectFrom('loan_products').select('product_code').where('product_code', '=', 'floating').execute(),
  )
  if (products.length > 0) return
  await addFloatingProduct(database, clock.now())
  await publishRate(database, clock.now(), 7, dayInIndia(clock.now()))
}

/** Requests a run and waits for the worker. */
async function resetRates({ database, clock }: App, effectiveOn: Day): Promise<void> {
  const run = { benchmark: benchmarkCode, effectiveOn }
  const runId = await database.asSystem((sql) => requestRun(sql, run, clock.now(), 'test'))
  await until(async () => (await database.asSystem((sql) => findRun(sql, runId)))?.phase === 'finished', 180_000)
}

/** An amount is rupees on the wire. */
type WireReset = Omit<RateReset, 'options'> & {
  options: { option: string; instalment: number; instalment_min: number; instalment_max: number }[]
}

/** The borrower's reset, read by the API. */
export async function readReset(portal: App, { lan, token }: FloatingBorrower): Promise<WireReset> {
  const { body } = await portal.get(`/portal/rate-resets?application_id=${lan}`, token)
  const [reset] = body['rate_resets'] as WireReset[]
  if (reset === undefined) throw new Error(`${lan} has no rate reset`)
  return reset
}

type Write = Parameters<typeof changeLoanInTransaction<null>>[1]['write']

/** Changes a loan, as operations would. */
export const changeLoan = async (portal: App, { borrowerId, loanId }: AddedLoan, write: Write): Promise<void> => {
  const change = { borrowerId, loanId, actor: unnamedOperator(), whileLinkOpen: 'keep', write } as const
  await portal.database.asBorrower(borrowerId, (sql) => changeLoanInTransaction(sql, change, portal.clock.now()))
}

/** Takes the reset back, as operations would. */
export async function withdraw(portal: App, borrower: FloatingBorrower): Promise<void> {
  const { id } = await readReset(portal, borrower)
  await changeLoan(portal, borrower, async (transaction) => {
    await withdrawReset(transaction, id)
    return { answer: null, log: null }
  })
}

export const banner = (page: Page) => page.getByRole('region', { name: /^Your interest rate/ })
export const comparison = (page: Page) => page.getByRole('dialog', { name: 'Your new interest rate' })
export const optionCard = (page: Page, name: string) => comparison(page).locator('label').filter({ hasText: name })
/** Selects an option by the keyboard: its radio button lies under the label. */
export const pick = (page: Page, name: string) => comparison(page).getByRole('radio', { name }).press('Space')
export const confirmation = (page: Page, name: string) => page.getByRole('dialog', { name: `Choose ‘${name}’?` })

export async function openComparison(page: Page): Promise<void> {
  await banner(page).getByRole('button', { name: 'Compare and choose' }).click()
  await expect(comparison(page)).toBeVisible()
}

/** Chooses what is selected, and confirms it. */
export async function choose(page: Page, name: string): Promise<void> {
  await comparison(page).getByRole('button', { name: 'Continue' }).click()
  await confirmation(page, name).getByRole('button', { name: 'Choose this' }).click()
}
