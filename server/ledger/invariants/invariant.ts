import type { RawBuilder } from 'kysely'

/** One violation, described for an operator. `id` is the invariant's id: I1–I38. */
export type BrokenInvariant = { id: string; detail: string }

/** A set-based query over the whole database. It returns one row for each violation of `rule`. */
export type InvariantQuery = { id: string; rule: string; violations: (now: Date) => RawBuilder<{ detail: string }> }
