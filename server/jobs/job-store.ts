import type { Sql } from '../database/connect.ts'
import { nameDeadLetter, queues, type QueueName } from './queues.ts'

/** A job that is not done. `dead`: failed after all retries, kept for the operator. */
export type ListedJob = {
  id: string
  queue: QueueName
  state: 'waiting' | 'retrying' | 'running' | 'dead'
  since: Date
  attempts: number
  lastError: string | null
}

const states = { created: 'waiting', retry: 'retrying', active: 'running' } as const
const unfinishedStates = Object.keys(states) as (keyof typeof states)[]
const sourceQueues = new Map(queues.map(({ name }) => [nameDeadLetter(name), name]))

/** Which unfinished jobs: of one queue or all, and all of them or only dead ones. */
type JobChoice = { queue?: QueueName | null; isDead?: boolean; id?: string | null; limit: number }

/** Lists unfinished jobs, oldest first, without their encrypted payloads. */
export async function listJobs(sql: Sql, { queue = null, isDead = false, id = null, limit }: JobChoice): Promise<ListedJob[]> {
  const chosen = queues.map(({ name }) => name).filter((name) => queue === null || name === queue)
  const dead = chosen.map(nameDeadLetter)
  const rows = await sql
    .selectFrom('pgboss.job')
    .select(['id', 'name', 'state', 'created_on', 'retry_count', 'output', 'source_created_on', 'source_retry_count', 'source_output'])
    .where('name', 'in', isDead ? dead : [...chosen, ...dead])
    .where('state', 'in', unfinishedStates)
    .$if(id !== null, (jobs) => jobs.where('id', '=', id ?? ''))
    .orderBy('created_on')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => {
    const source = sourceQueues.get(row.name)
    return source === undefined
      ? {
          id: row.id,
          queue: row.name as QueueName,
          state: states[row.state as keyof typeof states],
          since: row.created_on,
          attempts: row.retry_count + (row.state === 'created' ? 0 : 1),
          lastError: readMessage(row.output),
        }
      : {
          id: row.id,
          queue: source,
          state: 'dead',
          since: row.source_created_on ?? row.created_on,
          attempts: (row.source_retry_count ?? 0) + 1,
          lastError: readMessage(row.source_output),
        }
  })
}

/**
 * Counts unfinished jobs. A dead job is one of a dead-letter queue: the failed row of its own queue
 * stays after a retry.
 */
export async function countJobs(sql: Sql): Promise<(Pick<ListedJob, 'queue' | 'state'> & { count: number })[]> {
  const rows = await sql
    .selectFrom('pgboss.job')
    .select(({ fn }) => ['name', 'state', fn.countAll<bigint>().as('count')])
    .where('name', 'in', [...queues.map(({ name }) => name), ...sourceQueues.keys()])
    .where('state', 'in', unfinishedStates)
    .groupBy(['name', 'state'])
    .execute()
  return rows.map(({ name, state, count }) => {
    const source = sourceQueues.get(name)
    return source === undefined
      ? { queue: name as QueueName, state: states[state as keyof typeof states], count: Number(count) }
      : { queue: source, state: 'dead', count: Number(count) }
  })
}

/** Reads the error of a failed run: a string, or an object that contains one. */
function readMessage(output: unknown): string | null {
  if (typeof output === 'string') return output
  if (typeof output !== 'object' || output === null) return null
  const message = 'value' in output ? output.value : 'message' in output ? output.message : null
  return typeof message === 'string' ? message : null
}
