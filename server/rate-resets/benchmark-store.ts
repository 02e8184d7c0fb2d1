import * as z from 'zod/mini'
import type { Day } from '#domain/calendar.ts'
import type { RatePpb } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import { productTerms, type FloatingRate } from '../loans/product-terms.ts'

export type BenchmarkRate = { annualRatePpb: RatePpb; effectiveOn: Day }

/** All rates of a benchmark, oldest first. */
export async function listBenchmarkRates(sql: Sql, code: string): Promise<BenchmarkRate[]> {
  const rows = await sql
    .selectFrom('benchmarks')
    .select(['annual_rate_ppb', 'effective_on'])
    .where('benchmark_code', '=', code)
    .orderBy('effective_on')
    .execute()
  return rows.map(({ annual_rate_ppb, effective_on }) => ({ annualRatePpb: Number(annual_rate_ppb), effectiveOn: effective_on }))
}

/** @returns false if the benchmark has a rate of that day. */
export async function insertBenchmarkRate(
  sql: Sql,
  code: string,
  rate: BenchmarkRate,
  published: { at: Date; by: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('benchmarks')
    .values({
      benchmark_code: code,
      effective_on: rate.effectiveOn,
      annual_rate_ppb: BigInt(rate.annualRatePpb),
      published_at: published.at,
      published_by: published.by,
    })
    .onConflict((conflict) => conflict.columns(['benchmark_code', 'effective_on']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** A product version whose rate follows a benchmark. */
export type FloatingProduct = { code: string; version: number; rate: FloatingRate }

/** The product versions that follow a benchmark. */
export async function listFloatingProducts(sql: Sql, benchmark: string): Promise<FloatingProduct[]> {
  const rows = await sql.selectFrom('loan_products').select(['product_code', 'product_version', 'terms']).execute()
  return rows.flatMap(({ product_code, product_version, terms }) => {
    const { rate } = z.decode(productTerms, terms as z.input<typeof productTerms>)
    return rate?.type === 'floating' && rate.benchmark === benchmark ? [{ code: product_code, version: product_version, rate }] : []
  })
}
