import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dayInIndia } from '#domain/calendar.ts'
import { advanceUntil } from '#testkit/advance-until.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import type { App } from '#testkit/start-app.ts'
import { erase, exportPerson } from '#cli/commands/person.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { announce, expectRest, newBorrower, startStage, type Borrower } from './stage.testing.ts'

let app: App
beforeAll(async () => {
  app = await startStage()
})
afterAll(() => app.close())

const yearMs = 365.25 * 86_400_000
const operatorContext = (now = app.clock.now()) => ({
  database: app.database,
  databaseUrl: app.databaseUrls.appUrl,
  ownerUrl: app.databaseUrls.ownerUrl,
  clock: { now: () => now },
  operator: unnamedOperator(),
})

/** Pays everything that is owed by transfer. */
async function closeLoan(borrower: Borrower): Promise<void> {
  const amountPaise = (await borrower.state()).allowed.foreclosure?.amountPaise
  if (amountPaise === undefined) throw new Error('The loan cannot be foreclosed')
  const now = app.clock.now()
  const payment = { mode: 'neft', reference: 'UTR0000000001', amountPaise, date: dayInIndia(now), purpose: 'FORECLOSURE' } as const
  await withLockedLoan(app.database, borrower.key, now, (loan) => recordPayment(loan, payment))
}

it('export and erasure of a person with a mandate: the account hint is told, then gone; the number never was', async () => {
  const borrower = await newBorrower(app)
  await borrower.setUp('emandate')
  await announce(app, borrower)
  const out = join(app.context.config.dataDirectory, 'export.json')
  await exportPerson(operatorContext(), borrower.phone, out)
  const text = readFileSync(out, 'utf8')
  const { data } = JSON.parse(text) as { data: Record<string, Record<string, unknown>[]> }
  expect(data['mandates']).toMatchObject([{ account_hint: 'HDFC 2154', method: 'emandate', status: 'active' }])
  expect(data['collections']).toContainEqual(expect.objectContaining({ status: 'announced' }))
  expect(text).not.toContain('112143112154')

  await expect(erase(operatorContext(), borrower.phone, app.context.storage)).rejects.toThrow(/is not closed/)
  await closeLoan(borrower)
  await advanceUntil(app, 24 * 3_600_000, async () => (await borrower.mandate()).status === 'ended')
  await expectRest(app)
  await erase(operatorContext(new Date(app.clock.now().getTime() + 9 * yearMs)), borrower.phone, app.context.storage)
  expect(await borrower.mandate()).toMatchObject({ account_hint: null, redirect_url: null, end_reason: 'loan_closed' })
  const columns = await app.database.asSystem((sql) => sql.selectFrom('mandates').selectAll().execute())
  const stored = JSON.stringify(columns, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  // Without UUIDs, whose digits are those of the time and random.
  expect(stored.replaceAll(/KM[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')).not.toMatch(/HDFC|2154/)
})
