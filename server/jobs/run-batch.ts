import type { JobResult, JobWithMetadata } from 'pg-boss'
import type { Logger } from 'pino'
import type { EncryptedPayload } from './encrypt-payload.ts'
import type { JobData, JobHandlers } from './jobs.ts'
import type { QueueName } from './queues.ts'

type Job = JobWithMetadata<EncryptedPayload>

type BatchRunnerOptions = {
  /** Stores that a job is completed. */
  complete(queue: QueueName, id: string): Promise<unknown>
  decryptPayload(payload: EncryptedPayload): unknown
  log: Logger
}

/**
 * Creates the function that runs the jobs of a batch. The queue stores their results when the last
 * one has ended. Each that succeeds is completed at once: else a process that is stopped meanwhile
 * would leave it to be run again, and a message that was sent to be sent again.
 */
export function createBatchRunner({ complete, decryptPayload, log }: BatchRunnerOptions) {
  const run = async <Q extends QueueName>(handlers: JobHandlers, queue: Q, job: Job): Promise<JobResult> => {
    try {
      const attempt = { isLast: job.retryCount >= job.retryLimit }
      await handlers[queue](decryptPayload(job.data) as JobData[Q], attempt)
      return { id: job.id, status: 'completed' }
    } catch (error) {
      log.warn({ err: error, queue, job: job.id, retries: job.retryCount }, 'job failed')
      return { id: job.id, status: 'failed', output: error instanceof Error ? error.message : 'unknown' }
    }
  }
  return (handlers: JobHandlers, queue: QueueName, jobs: Job[]): Promise<JobResult[]> =>
    Promise.all(
      jobs.map(async (job) => {
        const result = await run(handlers, queue, job)
        if (result.status === 'completed' && jobs.length > 1)
          await complete(queue, job.id).catch((error: unknown) =>
            log.warn({ err: error, queue, job: job.id }, 'job done, but not stored yet'),
          )
        return result
      }),
    )
}
