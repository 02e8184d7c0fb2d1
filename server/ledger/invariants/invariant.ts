import { sql, type RawBuilder } from 'kysely'

/** One violation, described for an operator. `id` is the invariant's id: I1–I38. */
export type BrokenInvariant = { id: string; detail: string }

/** A set-based query over the whole database. It returns one row for each violation of `rule`. */
export type InvariantQuery = { id: string; rule: string; violations: (now: Date) => RawBuilder<{ detail: string }> }

/**
 * A table of the coordinator, to be joined with distributed tables: `offset 0` keeps Citus from
 * planning both at once, which it cannot under row-level security (docs/scale.md).
 */
export const localTable = (name: 'autopay_references' | 'payment_references' | 'settlement_lines') =>
  sql`(select * from ${sql.table(name)} offset 0)`
