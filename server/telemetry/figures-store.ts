import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { LogArchive, MoneyFigures } from '../observability.ts'
import { storageSweepLease } from '../documents/sweep-orphans.ts'
import { readLeases } from '../database/lease.ts'
import { countJobs } from '../jobs/job-store.ts'
import { queues } from '../jobs/queues.ts'
import { awaitsProviderCondition } from '../ledger/open-links-store.ts'
import { countOpenReviewsByKind } from '../payments/review-store.ts'
import { invariantsLease } from './watch-invariants.ts'

/** Reads all money figures. Each query uses an index with only the counted rows. */
export async function readMoneyFigures(sql: Sql, now: Date): Promise<MoneyFigures> {
  const age = (column: string) => raw<number>`coalesce(extract(epoch from ${now}::timestamptz - min(${raw.ref(column)})), 0)::float8`
  const links = await sql
    .selectFrom('payment_links')
    .select(({ fn }) => fn.countAll<bigint>().as('open'))
    .where(awaitsProviderCondition)
    .executeTakeFirstOrThrow()
  const captures = await sql
    .selectFrom('provider_payments')
    .select(({ fn }) => [
      fn.countAll<bigint>().as('unposted'),
      raw<number>`coalesce(sum(amount_paise), 0)::float8`.as('paise'),
      age('seen_at').as('oldest'),
    ])
    .where('transaction_id', 'is', null)
    .executeTakeFirstOrThrow()
  const inbox = await sql
    .selectFrom('webhook_inbox')
    .select(({ fn }) => [fn.countAll<bigint>().as('open'), age('received_at').as('oldest')])
    .where('processed_at', 'is', null)
    .executeTakeFirstOrThrow()
  const refunds = await sql
    .selectFrom('refunds')
    .select(({ fn }) => ['status', fn.countAll<bigint>().as('count'), age('asked_at').as('oldest')])
    .where('status', '<>', 'processed')
    .groupBy('status')
    .execute()
  const refundsWith = (isCounted: (status: string) => boolean) =>
    refunds.filter(({ status }) => isCounted(status)).reduce((sum, { count }) => sum + Number(count), 0)
  const leases = new Map((await readLeases(sql)).map((lease) => [lease.name, lease]))
  const invariants = leases.get(invariantsLease)
  const sweepOutcome = leases.get(storageSweepLease)?.outcome ?? null
  return {
    paymentLinksOpen: Number(links.open),
    capturesUnposted: Number(captures.unposted),
    capturesUnpostedPaise: captures.paise,
    captureOldestSeconds: Math.max(0, captures.oldest),
    inboxOpen: Number(inbox.open),
    inboxOldestSeconds: Math.max(0, inbox.oldest),
    refundsOpen: refundsWith((status) => status !== 'failed'),
    refundOldestSeconds: Math.max(0, ...refunds.filter(({ status }) => status !== 'failed').map(({ oldest }) => oldest)),
    refundsFailed: refundsWith((status) => status === 'failed'),
    reviewsOpen: await countOpenReviewsByKind(sql),
    jobs: [...queues.map(({ name: queue }) => ({ queue, state: 'dead', count: 0 })), ...(await countJobs(sql))],
    leases: [...leases.values()].flatMap(({ name, finishedAt }) => (finishedAt === null ? [] : [{ name, finishedAt }])),
    invariants: invariants?.finishedAt ? { checkedAt: invariants.finishedAt, broken: invariants.outcomeCount } : null,
    storageSweepStopped: sweepOutcome === 'swept' ? null : sweepOutcome,
    logArchive: await readLogArchive(sql),
  }
}

/**
 * Reads how PostgreSQL archives its log, by its own clock. A start counts as an archived segment:
 * the time of the stop is not late. @returns null if archive_mode is off.
 */
export async function readLogArchive(sql: Sql): Promise<LogArchive | null> {
  const { rows } = await raw<LogArchive>`
    select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing",
      extract(epoch from clock_timestamp() - greatest(last_archived_time, pg_postmaster_start_time()))::float8 as "ageSeconds"
    from pg_stat_archiver where current_setting('archive_mode') <> 'off'`.execute(sql)
  return rows[0] ?? null
}
