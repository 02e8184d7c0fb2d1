import { pino } from 'pino'
import { addDays, addMonths, dayInIndia, dayOfMonth, type Day } from '#domain/calendar.ts'
import type { Database } from '#server/database/connect.ts'
import { publishBenchmark } from '#server/rate-resets/publish-benchmark.ts'
import { requestRun } from '#server/rate-resets/request-run.ts'
import { runRateResets } from '#server/rate-resets/run-rate-resets.ts'
import { addLoan, addProduct, educationLoan, type AddedLoan } from './builders.ts'

/** The benchmark of the floating product. */
export const benchmarkCode = 'RBI_REPO'

/** The product of floating loans in demo and tests: the benchmark and 4.75 percent. */
export const floatingLoan = {
  ...educationLoan,
  name: 'Education loan, floating rate',
  rate_type: undefined,
  rate: { type: 'floating' as string, benchmark: benchmarkCode, spread_ppb: 47_500_000, reset_months: 3, instalments_max: 180 },
}

/** Adds the product `floating`, and the benchmark's rate: 6.25 percent, so that loans bear 11. */
export async function addFloatingProduct(database: Database, now: Date, more: Partial<typeof floatingLoan> = {}): Promise<void> {
  await addProduct(database, now, 'floating', JSON.parse(JSON.stringify({ ...floatingLoan, ...more })) as typeof educationLoan)
  await publishRate(database, now, 6.25, addDays(dayInIndia(now), -400))
}

export const publishRate = (database: Database, now: Date, percent: number, effectiveOn: Day): Promise<void> =>
  database.asSystem((sql) =>
    publishBenchmark(sql, { code: benchmarkCode, annualRatePpb: Math.round(percent * 10_000_000), effectiveOn }, now, 'test'),
  )

/** Adds a floating loan of ₹8,00,000 over 120 months; its first instalment is due on `firstDue`. */
export const addFloatingLoan = (
  database: Database,
  now: Date,
  borrowerId: string,
  { lan, firstDue, rupees = 800_000, instalments = 120 }: { lan: string; firstDue: Day; rupees?: number; instalments?: number },
): Promise<AddedLoan> =>
  addLoan(database, now, borrowerId, {
    lan,
    leadId: `LEAD-${lan}`,
    title: 'B.Tech., 2026 to 2030',
    product: 'floating',
    sanctionedRupees: rupees,
    disbursals: [{ date: addMonths(firstDue, -1, dayOfMonth(firstDue)), rupees }],
    annualRatePercent: 11,
    instalments,
    firstDueDate: firstDue,
  })

/** Requests a run and does it here: no worker may do it at the same time. */
export async function resetRates(database: Database, now: Date, effectiveOn: Day): Promise<string> {
  const runId = await database.asSystem((sql) => requestRun(sql, { benchmark: benchmarkCode, effectiveOn }, now, 'test'))
  const context = { database, clock: { now: () => now }, log: pino({ level: 'silent' }), failPoint: () => Promise.resolve() }
  await runRateResets(context, { confirm: () => Promise.resolve(), signal: new AbortController().signal })
  return runId
}
