import { sql as raw } from 'kysely'
import type { Database, Sql } from '../database/connect.ts'
import type { Broken } from './invariants/invariant.ts'
import { ledgerQueries } from './invariants/ledger-queries.ts'
import { checkLoan, loanInvariants } from './invariants/loan-checks.ts'
import { paymentQueries } from './invariants/payment-queries.ts'
import { refundQueries } from './invariants/refund-queries.ts'
import { readBook } from './book-store.ts'

export type CheckResult = {
  /** How many invariants were looked at. */
  checked: number
  broken: readonly Broken[]
}

export type CheckOptions = {
  /** The moment it is asked for; the portal's clock. */
  now?: Date
  /** Told after every batch of loans. */
  onProgress?: (loansDone: number, loansAll: number) => void
}

const borrowersAtOnce = 1_000
/** Of one invariant so many faults are told; more would hide the others. */
const toldMax = 20

const queries = [...ledgerQueries, ...paymentQueries, ...refundQueries]

/**
 * Looks at every ledger and state invariant over the whole database, in one snapshot of it, so that a running portal does not
 * blur the picture. Reads only.
 */
export function checkInvariants(database: Database, options: CheckOptions = {}): Promise<CheckResult> {
  return database.asSnapshot((sql) => checkWithin(sql, options))
}

/** The same within a transaction that is open already, as the transaction sees the database. */
export async function checkWithin(sql: Sql, { now = new Date(), onProgress = () => {} }: CheckOptions = {}): Promise<CheckResult> {
  await raw`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`.execute(sql)
  const broken: Broken[] = []
  for (const { id, broken: ask } of queries) {
    const { rows } = await ask(now).execute(sql)
    broken.push(
      ...told(
        id,
        rows.map(({ detail }) => detail),
      ),
    )
  }
  broken.push(...(await checkLoans(sql, now, onProgress)))
  return { checked: queries.length + Object.keys(loanInvariants).length, broken }
}

async function checkLoans(sql: Sql, now: Date, onProgress: NonNullable<CheckOptions['onProgress']>): Promise<Broken[]> {
  const { loans: all } = await sql
    .selectFrom('loans')
    .select((count) => count.fn.countAll<bigint>().as('loans'))
    .executeTakeFirstOrThrow()
  const faults = new Map<string, string[]>(Object.keys(loanInvariants).map((id) => [id, []]))
  let done = 0
  for await (const batch of readBook(sql, borrowersAtOnce)) {
    for (const book of batch) for (const { id, detail } of checkLoan(book, now)) faults.get(id)?.push(detail)
    done += batch.length
    onProgress(done, Number(all))
  }
  return [...faults].flatMap(([id, details]) => told(id, details))
}

const told = (id: string, details: readonly string[]): Broken[] => [
  ...details.slice(0, toldMax).map((detail) => ({ id, detail })),
  ...(details.length > toldMax ? [{ id, detail: `and ${details.length - toldMax} more` }] : []),
]
