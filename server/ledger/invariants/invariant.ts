import type { RawBuilder } from 'kysely'

/** One thing that is wrong, in an operator's words. `id` is the invariant's: I1–I30. */
export type Broken = { id: string; detail: string }

/**
 * One set-based query over the whole database. It answers with a row for everything that is broken, its text in `detail`,
 * and with none where all is well.
 */
export type InvariantQuery = { id: string; says: string; broken: (now: Date) => RawBuilder<{ detail: string }> }
