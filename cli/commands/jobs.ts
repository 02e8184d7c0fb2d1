import { Option, type Command } from 'commander'
import { logAccess } from '#server/access-log.ts'
import { listJobs, type ListedJob } from '#server/jobs/job-store.ts'
import { queues, type QueueName } from '#server/jobs/queues.ts'
import { redactPersonalData } from '#server/log.ts'
import { operatorDetail } from '#server/staff/operator.ts'
import { withDesk, type Desk } from '#cli/database-context.ts'
import { KistError } from '#cli/command-error.ts'
import { withMoneyDesk, type JobsDesk } from '#cli/provider-context.ts'
import { changesData } from '#cli/operator-context.ts'

const listedMax = 200

type Which = { queue?: QueueName }

/** `kist jobs list|retry`: background work that is not done, and what was given up. */
export function addJobsCommands(program: Command): void {
  const jobs = program.command('jobs').description('background work')
  const queue = () => new Option('--queue <queue>', 'of one queue').choices(queues.map(({ name }) => name))
  jobs
    .command('list')
    .description('what is not done, and what was given up after all its tries (dead)')
    .addOption(queue())
    .action(async ({ queue: name }: Which) => console.log(await withDesk((desk) => list(desk, name ?? null))))
  changesData(jobs.command('retry'))
    .description('have what was given up tried again: one by its id, or all of a queue')
    .argument('[id]', 'as list tells it')
    .addOption(queue())
    .action(async (id: string | undefined, { queue: name }: Which, command: Command) =>
      console.log(await withMoneyDesk(command, (desk) => retry(desk, id ?? null, name ?? null))),
    )
}

/** @returns a line a job, or that there is none. What jobs carry is never told, nor a phone or a key that an error names. */
export async function list({ database }: Pick<Desk, 'database'>, queue: QueueName | null): Promise<string> {
  const jobs = await database.asSystem((sql) => listJobs(sql, listedMax))
  const shown = jobs.filter((job) => queue === null || job.queue === queue)
  return shown.length === 0 ? 'nothing waits in the background' : shown.map(told).join('\n')
}

function told({ id, queue, state, since, attempts, lastError }: ListedJob): string {
  const parts = [state.padEnd(8), queue.padEnd(11), id, `since ${since.toISOString()}`, `${attempts} attempts`]
  return redactPersonalData([...parts, ...(lastError === null ? [] : [lastError])].join('  '))
}

/** @returns a line for the operator. */
export async function retry({ database, clock, jobs, operator }: JobsDesk, id: string | null, queue: QueueName | null): Promise<string> {
  if ((id === null) === (queue === null)) throw new KistError('Name one job by its id, or give --queue')
  const dead = (await database.asSystem((sql) => listJobs(sql, listedMax))).filter(({ state }) => state === 'dead')
  const chosen = dead.filter((job) => (id === null ? job.queue === queue : job.id === id))
  if (id !== null && chosen.length === 0) throw new KistError(`No job ${id} was given up`)
  const byQueue = Map.groupBy(chosen, (job) => job.queue)
  let retried = 0
  for (const [name, given] of byQueue) {
    const ids = given.map((job) => job.id)
    retried += await jobs.retry(name, ids)
    await database.asSystem((sql) =>
      logAccess(sql, {
        at: clock.now(),
        subjectId: `jobs:${name}`,
        actorId: operator.actorId,
        action: 'jobs_retried',
        outcome: 'done',
        origin: null,
        detail: { queue: name, jobs: ids.length, ...operatorDetail(operator) },
      }),
    )
  }
  return `tried again: ${retried}`
}
