import { citusNodes } from './citus.ts'
import { queryOnce } from './query-once.ts'

/**
 * The number of a database's sessions that wait for a lock, on all of its nodes; with `table`, only
 * of those that select from it.
 */
export async function countLockWaits(superuserUrl: string, table?: string): Promise<number> {
  const sessions = citusNodes.length > 0 ? 'citus_stat_activity' : 'pg_stat_activity'
  // A node's query names the shard: public.loans_102008.
  const selecting = table === undefined ? '' : ` and query ~* 'from "?(public\\.)?${table}(_\\d+)?"? '`
  const [row] = await queryOnce(
    superuserUrl,
    `select count(*) as waiting from ${sessions} where datname = current_database() and wait_event_type = 'Lock'${selecting}`,
  )
  return Number(row?.['waiting'])
}
