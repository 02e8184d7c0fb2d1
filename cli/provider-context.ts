import type { Command } from 'commander'
import { razorpayGateway } from '#server/adapters/payment-gateway/razorpay.ts'
import type { MoneyContext } from '#server/context.ts'
import { socketTimeoutFor } from '#server/database/socket-timeout.ts'
import { jobsConnectTimeoutFor, startJobs, type RunningJobs } from '#server/jobs/boss.ts'
import { createLoanChangeContext } from '#server/payments/links/cancel-open-link.ts'
import { createLog } from '#server/log.ts'
import type { LoanContext } from './change-named-loan.ts'
import { withOperator, type OperatorContext } from './operator-context.ts'

/** An operator context with the job queue. */
export type JobsContext = OperatorContext & { jobs: RunningJobs }
/** An operator context with job queue and provider. */
export type ProviderContext = JobsContext & LoanContext & Pick<MoneyContext, 'config' | 'gateway' | 'log' | 'failPoint'>

/**
 * As {@link withOperator}, with job queue and provider. Jobs are only enqueued; workers run them.
 */
export function withProvider<T>(command: Command, work: (context: ProviderContext) => Promise<T>): Promise<T> {
  return withOperator(command, async (operatorContext, config) => {
    const log = createLog({ logLevel: 'warn', production: config.production })
    const jobs = await startJobs({
      url: operatorContext.databaseUrl,
      connectTimeoutMs: jobsConnectTimeoutFor(config.database.connectTimeoutMs),
      socketTimeoutMs: socketTimeoutFor(config.database.statementTimeoutMs),
      secret: config.signIn.codeKey,
      log,
      work: false,
      signals: config.jobSignals,
    })
    const baseUrl = config.razorpay.baseUrl ?? `http://127.0.0.1:${config.sandboxPort}`
    try {
      const gateway = razorpayGateway({ ...config.razorpay, baseUrl })
      const context = { ...operatorContext, config, jobs, log, gateway, failPoint: () => Promise.resolve() }
      return await work({ ...context, ...createLoanChangeContext(context) })
    } finally {
      await jobs.stop()
    }
  })
}
