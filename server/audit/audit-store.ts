import { sql as raw } from 'kysely'
import type { Day } from '#domain/calendar.ts'
import type { AccessLogRow } from '../access-log.ts'
import type { Sql } from '../database/connect.ts'

export type ChainedEntry = AccessLogRow & { sequence: bigint; hash: Buffer }
type Head = { subject_id: string; sequence: bigint; hash: Buffer }
export type Anchor = { day: Day; made_at: Date; heads: bigint; digest: Buffer; key_id: string; signature: Buffer }

/** Reads entries in the order of their chains, after the given one. */
export async function readEntriesAfter(
  sql: Sql,
  after: { subject_id: string; sequence: bigint } | null,
  limit: number,
): Promise<ChainedEntry[]> {
  let query = sql.selectFrom('access_log').selectAll().orderBy('subject_id').orderBy('sequence').limit(limit)
  if (after) query = query.where(raw<boolean>`(subject_id, sequence) > (${after.subject_id}, ${after.sequence})`)
  return (await query.execute()) as ChainedEntry[]
}

/** Counts all entries. */
export async function countEntries(sql: Sql): Promise<number> {
  const { entries } = await sql
    .selectFrom('access_log')
    .select((count) => count.fn.countAll<bigint>().as('entries'))
    .executeTakeFirstOrThrow()
  return Number(entries)
}

/**
 * Finds chain heads without a matching entry: entries were removed from the end of a chain, or the
 * head was changed.
 */
export async function findHeadsWithoutEntry(sql: Sql, limit: number): Promise<Head[]> {
  return sql
    .selectFrom('access_log_heads as head')
    .leftJoin('access_log as line', (join) =>
      join
        .onRef('line.subject_id', '=', 'head.subject_id')
        .onRef('line.sequence', '=', 'head.sequence')
        .onRef('line.hash', '=', 'head.hash'),
    )
    .select(['head.subject_id', 'head.sequence', 'head.hash'])
    .where('line.entry_id', 'is', null)
    .limit(limit)
    .execute()
}

/** Finds entries after their chain's head, or in a chain without a head. */
export async function findEntriesBeyondHead(sql: Sql, limit: number): Promise<{ subject_id: string; sequence: bigint }[]> {
  return sql
    .selectFrom('access_log as line')
    .leftJoin('access_log_heads as head', 'head.subject_id', 'line.subject_id')
    .select(['line.subject_id', 'line.sequence'])
    .where((where) => where.or([where('head.sequence', 'is', null), where('line.sequence', '>', where.ref('head.sequence'))]))
    .limit(limit)
    .execute()
}

/** Finds anchored heads whose entry is missing or was changed. */
export async function findLostAnchoredEntries(sql: Sql, limit: number): Promise<{ day: Day; subject_id: string; sequence: bigint }[]> {
  return sql
    .selectFrom('audit_anchor_heads as anchored')
    .leftJoin('access_log as line', (join) =>
      join
        .onRef('line.subject_id', '=', 'anchored.subject_id')
        .onRef('line.sequence', '=', 'anchored.sequence')
        .onRef('line.hash', '=', 'anchored.hash'),
    )
    .select(['anchored.day', 'anchored.subject_id', 'anchored.sequence'])
    .where('line.entry_id', 'is', null)
    .limit(limit)
    .$narrowType<{ day: Day }>()
    .execute()
}

/** Reads all anchors, oldest first. */
export function readAnchors(sql: Sql): Promise<Anchor[]> {
  return sql.selectFrom('audit_anchors').selectAll().orderBy('day').$narrowType<{ day: Day }>().execute()
}

export function findLastAnchor(sql: Sql): Promise<Anchor | undefined> {
  return sql.selectFrom('audit_anchors').selectAll().orderBy('day', 'desc').limit(1).$narrowType<{ day: Day }>().executeTakeFirst()
}

/** Finds the latest day with stored heads, anchored or not. */
export async function findLastStoredDay(sql: Sql): Promise<Day | null> {
  const kept = await sql
    .selectFrom('audit_anchor_heads')
    .select('day')
    .orderBy('day', 'desc')
    .limit(1)
    .$narrowType<{ day: Day }>()
    .executeTakeFirst()
  return kept?.day ?? null
}

/**
 * Stores the heads of a batch of chains that grew since their last anchor, in the order of their
 * subjects.
 *
 * @param after the last subject of the previous batch; null for the first batch.
 * @returns the last subject of this batch; null if it is empty.
 */
export async function storeHeads(sql: Sql, day: Day, after: string | null, headsMax: number): Promise<string | null> {
  // The first batch has no lower bound: operations of the whole portal have the id of all zeros.
  const isNext = (subject: string) => (after === null ? raw`true` : raw`${raw.ref(subject)} > ${after}`)
  const grown = raw`sequence > anchored_sequence and ${isNext('subject_id')}`
  const { rows } = await raw<{ last: string | null }>`
    select max(subject_id::text) as last
    from (select subject_id from access_log_heads where ${grown} order by subject_id limit ${headsMax}) as batch`.execute(sql)
  const last = rows[0]?.last ?? null
  if (last === null) return null
  // A head stored earlier on this day, before a crash, that grew since is anchored the next day.
  await raw`
    insert into audit_anchor_heads (day, subject_id, subject_name, sequence, hash)
    select ${day}::date, subject_id, subject_name, sequence, hash from access_log_heads where ${grown} and subject_id <= ${last}
    on conflict do nothing`.execute(sql)
  // A head that grows meanwhile keeps the number that was stored.
  await raw`
    update access_log_heads as head set anchored_sequence = stored.sequence
    from audit_anchor_heads as stored
    where stored.day = ${day} and stored.subject_id = head.subject_id and stored.sequence > head.anchored_sequence
      and ${isNext('head.subject_id')} and head.subject_id <= ${last}`.execute(sql)
  return last
}

/** Computes sha256 over the previous anchor and the day's heads in the order of their subjects. */
export async function computeDigest(sql: Sql, day: Day, before: Buffer | null): Promise<{ heads: bigint; digest: Buffer }> {
  const { rows } = await raw<{ heads: bigint; digest: Buffer }>`
    select count(*) as heads,
      sha256(${before ?? Buffer.alloc(0)}::bytea || convert_to(
        coalesce(string_agg(subject || ' ' || sequence || ' ' || encode(hash, 'hex'), e'\n' order by subject collate "C"), ''), 'UTF8')) as digest
    from (
      select coalesce(subject_name, subject_id::text) as subject, sequence, hash from audit_anchor_heads where day = ${day}
    ) as heads`.execute(sql)
  const [row] = rows
  if (!row) throw new Error('An aggregate always has one row')
  return row
}

export async function insertAnchor(sql: Sql, anchor: Anchor): Promise<void> {
  await sql.insertInto('audit_anchors').values(anchor).execute()
}
