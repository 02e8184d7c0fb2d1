import * as z from 'zod/mini'
import type { Sql } from '../database/connect.ts'
import type { LoanRow } from './loan-store.ts'
import { productTerms, type ProductTerms } from './product-terms.ts'

export function findProduct(sql: Sql, code: string, version: number) {
  return sql
    .selectFrom('loan_products')
    .selectAll()
    .where('product_code', '=', code)
    .where('product_version', '=', version)
    .executeTakeFirst()
}

/** The terms of the product version under which a loan was sanctioned. */
export async function findProductTerms(sql: Sql, loan: Pick<LoanRow, 'lan' | 'product_code' | 'product_version'>): Promise<ProductTerms> {
  const product = await findProduct(sql, loan.product_code, loan.product_version)
  if (!product) throw new Error(`Loan ${loan.lan} has the unknown product ${loan.product_code} version ${loan.product_version}`)
  return z.decode(productTerms, product.terms as z.input<typeof productTerms>)
}

/** @param terms JSON of the product's terms, encoded by productTerms. */
export async function insertProduct(sql: Sql, code: string, version: number, terms: string, now: Date): Promise<void> {
  await sql.insertInto('loan_products').values({ product_code: code, product_version: version, terms, loaded_at: now }).execute()
}
