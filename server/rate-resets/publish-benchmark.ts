import type { Day } from '#domain/calendar.ts'
import type { RatePpb } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { insertBenchmarkRate } from './benchmark-store.ts'

/**
 * Publishes the rate of a benchmark from a day on.
 *
 * @throws LedgerRefusal if the benchmark has a rate of that day: a published rate never changes.
 */
export async function publishBenchmark(
  sql: Sql,
  { code, annualRatePpb, effectiveOn }: { code: string; annualRatePpb: RatePpb; effectiveOn: Day },
  now: Date,
  publishedBy: string,
): Promise<void> {
  if (!(await insertBenchmarkRate(sql, code, { annualRatePpb, effectiveOn }, { at: now, by: publishedBy })))
    throw new LedgerRefusal(
      `The benchmark ${code} has a rate of ${effectiveOn} already, and a published rate never changes`,
      'rate_published',
    )
}
