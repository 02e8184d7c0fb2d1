import { Option, type Command } from 'commander'
import { listJobs, type ListedJob } from '#server/jobs/job-store.ts'
import { isUuid } from '#contract/uuid.ts'
import { queues, type QueueName } from '#server/jobs/queues.ts'
import { redactPersonalData } from '#server/log.ts'
import { logOperatorAct } from '#server/staff/operator.ts'
import { withDatabase, type DatabaseContext } from '#cli/database-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { withProvider, type JobsContext } from '#cli/provider-context.ts'
import { changesData } from '#cli/operator-context.ts'

const listedMax = 200

type Which = { queue?: QueueName }

/** `kist jobs list|retry`: pending and failed background jobs. */
export function addJobsCommands(program: Command): void {
  const jobs = program.command('jobs').description('background work')
  const queue = () => new Option('--queue <queue>', 'only jobs of this queue').choices(queues.map(({ name }) => name))
  jobs
    .command('list')
    .description('jobs that are not done, and dead ones, which failed after all retries')
    .addOption(queue())
    .action(async ({ queue: name }: Which) => console.log(await withDatabase((context) => list(context, name ?? null))))
  changesData(jobs.command('retry'))
    .description('retry dead jobs: one by its id, or all of a queue')
    .argument('[id]', 'the id that list prints')
    .addOption(queue())
    .action(async (id: string | undefined, { queue: name }: Which, command: Command) =>
      console.log(await withProvider(command, (context) => retry(context, id ?? null, name ?? null))),
    )
}

/**
 * @returns a line for each job, or that there is none. Never prints a job's data, or a phone or key
 * in its error.
 */
export async function list({ database }: Pick<DatabaseContext, 'database'>, queue: QueueName | null): Promise<string> {
  const shown = await database.asSystem((sql) => listJobs(sql, { queue, limit: listedMax }))
  return shown.length === 0 ? 'nothing waits in the background' : shown.map(describeJob).join('\n')
}

function describeJob({ id, queue, state, since, attempts, lastError }: ListedJob): string {
  const parts = [state.padEnd(8), queue.padEnd(11), id, `since ${since.toISOString()}`, `${attempts} attempts`]
  return redactPersonalData([...parts, ...(lastError === null ? [] : [lastError])].join('  '))
}

/** @returns a line for the operator. */
export async function retry({ database, clock, jobs, operator }: JobsContext, id: string | null, queue: QueueName | null): Promise<string> {
  if ((id === null) === (queue === null)) throw new CommandError('Name one job by its id, or give --queue')
  if (id !== null && !isUuid(id)) throw new CommandError(`There is no dead job ${id}`)
  let retried = 0
  for (;;) {
    const dead = await database.asSystem((sql) => listJobs(sql, { queue, id, isDead: true, limit: listedMax }))
    const name = dead[0]?.queue
    if (name === undefined) break
    const ids = dead.map((job) => job.id)
    // The access-log entry first: no job is retried without one.
    await database.asSystem((sql) =>
      logOperatorAct(sql, operator, {
        at: clock.now(),
        subjectId: `jobs:${name}`,
        action: 'jobs_retried',
        detail: { queue: name, jobs: ids.length },
      }),
    )
    const moved = await jobs.retry(name, ids)
    retried += moved
    // Another command moved the rest meanwhile.
    if (moved === 0) break
  }
  if (id !== null && retried === 0) throw new CommandError(`There is no dead job ${id}`)
  return `retried: ${retried}`
}
