import type { Sql } from '../database/connect.ts'

export function findProduct(sql: Sql, code: string, version: number) {
  return sql
    .selectFrom('loan_products')
    .selectAll()
    .where('product_code', '=', code)
    .where('product_version', '=', version)
    .executeTakeFirst()
}

/** @param terms JSON of the product's terms, encoded by productTerms. */
export async function insertProduct(sql: Sql, code: string, version: number, terms: string, now: Date): Promise<void> {
  await sql.insertInto('loan_products').values({ product_code: code, product_version: version, terms, loaded_at: now }).execute()
}
