import type { Sql } from '#server/database/connect.ts'
import type { LoanRow } from '#server/loans/loan-store.ts'
import type { Book } from './book.ts'
import { withoutIdentity } from './store.ts'

/**
 * What a book says of people whose names and phones were erased. A lender's book is cumulative: it
 * keeps their lines, which must neither be refused nor bring the person back.
 */
export type ErasedPeople = {
  /** Their loans. */
  lans: ReadonlySet<string>
  /** Phones whose loans in the book all belong to erased people. */
  phones: ReadonlySet<string>
}

/** @param rows the stored loans that the book names. */
export async function findErasedPeople(sql: Sql, { loans }: Book, rows: ReadonlyMap<string, LoanRow>): Promise<ErasedPeople> {
  const erased = new Set(await withoutIdentity(sql, [...new Set([...rows.values()].map(({ borrower_id }) => borrower_id))]))
  const lans = new Set([...rows.values()].filter((row) => erased.has(row.borrower_id)).map(({ lan }) => lan))
  const phones = new Set<string>()
  const otherPhones = new Set<string>()
  for (const { lan, phone } of loans.values()) (lans.has(lan) ? phones : otherPhones).add(phone)
  return { lans, phones: new Set([...phones].filter((phone) => !otherPhones.has(phone))) }
}
