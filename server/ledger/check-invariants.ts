import { sql as raw } from 'kysely'
import type { Database, Sql } from '../database/connect.ts'
import type { BrokenInvariant } from './invariants/invariant.ts'
import { autopayQueries } from './invariants/autopay-queries.ts'
import { ledgerQueries } from './invariants/ledger-queries.ts'
import { checkLoan, loanInvariants } from './invariants/loan-checks.ts'
import { paymentQueries } from './invariants/payment-queries.ts'
import { refundQueries } from './invariants/refund-queries.ts'
import { resetQueries } from './invariants/reset-queries.ts'
import { readBook } from './book-store.ts'

export type CheckResult = {
  /** The number of invariants checked. */
  checked: number
  broken: readonly BrokenInvariant[]
}

type CheckOptions = {
  /** The time of the check, by the portal's clock. */
  now?: Date
  /** Called after every batch of loans. */
  onProgress?: (loansDone: number, loansAll: number) => void
}

const borrowersPerBatch = 1_000
/** The number of details reported per invariant. */
const detailsMax = 20

const queries = [...ledgerQueries, ...paymentQueries, ...refundQueries, ...resetQueries, ...autopayQueries]

/**
 * Checks every ledger and state invariant over the whole database. One snapshot makes the result
 * consistent while the portal runs. Reads only.
 */
export function checkInvariants(database: Database, options: CheckOptions = {}): Promise<CheckResult> {
  return database.asSnapshot((sql) => checkInTransaction(sql, options))
}

/** Checks the invariants within an open transaction, including its uncommitted changes. */
export async function checkInTransaction(sql: Sql, { now = new Date(), onProgress = () => {} }: CheckOptions = {}): Promise<CheckResult> {
  await raw`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`.execute(sql)
  const broken: BrokenInvariant[] = []
  for (const { id, violations } of queries) {
    const { rows } = await violations(now).execute(sql)
    broken.push(
      ...limitDetails(
        id,
        rows.map(({ detail }) => detail),
      ),
    )
  }
  broken.push(...(await checkLoans(sql, now, onProgress)))
  return { checked: queries.length + Object.keys(loanInvariants).length, broken }
}

async function checkLoans(sql: Sql, now: Date, onProgress: NonNullable<CheckOptions['onProgress']>): Promise<BrokenInvariant[]> {
  const { loans: all } = await sql
    .selectFrom('loans')
    .select((count) => count.fn.countAll<bigint>().as('loans'))
    .executeTakeFirstOrThrow()
  const faults = new Map<string, string[]>(Object.keys(loanInvariants).map((id) => [id, []]))
  let done = 0
  for await (const batch of readBook(sql, borrowersPerBatch)) {
    for (const book of batch) for (const { id, detail } of checkLoan(book, now)) faults.get(id)?.push(detail)
    done += batch.length
    onProgress(done, Number(all))
  }
  return [...faults].flatMap(([id, details]) => limitDetails(id, details))
}

const limitDetails = (id: string, details: readonly string[]): BrokenInvariant[] => [
  ...details.slice(0, detailsMax).map((detail) => ({ id, detail })),
  ...(details.length > detailsMax ? [{ id, detail: `and ${details.length - detailsMax} more` }] : []),
]
