import type { Command } from 'commander'
import { razorpayGateway } from '#server/adapters/payment-gateway/razorpay.ts'
import type { MoneyContext } from '#server/context.ts'
import { socketTimeoutFor } from '#server/database/socket-timeout.ts'
import { startJobs, type RunningJobs } from '#server/jobs/boss.ts'
import { createLoanChangeContext } from '#server/payments/links/cancel-open-link.ts'
import { createLog } from '#server/log.ts'
import type { LoanDesk } from './change-named-loan.ts'
import { withOperator, type OperatorDesk } from './operator-context.ts'

/** A desk from which work is asked of the portal's workers. */
export type JobsDesk = OperatorDesk & { jobs: RunningJobs }
/** A desk that reaches the provider too. */
export type MoneyDesk = JobsDesk & LoanDesk & Pick<MoneyContext, 'config' | 'gateway' | 'log' | 'failPoint'>

/** As {@link withOperator}, with the job queue and the provider of the same settings; nothing is worked on here that a worker is to do. */
export function withMoneyDesk<T>(command: Command, work: (desk: MoneyDesk) => Promise<T>): Promise<T> {
  return withOperator(command, async (desk, config) => {
    const log = createLog({ logLevel: 'warn', production: config.production })
    const jobs = await startJobs({
      url: desk.databaseUrl,
      socketTimeoutMs: socketTimeoutFor(config.database.statementTimeoutMs),
      secret: config.signIn.codeKey,
      log,
      work: false,
      signals: config.jobSignals,
    })
    const baseUrl = config.razorpay.baseUrl ?? `http://127.0.0.1:${config.sandboxPort}`
    try {
      const gateway = razorpayGateway({ ...config.razorpay, baseUrl })
      const context = { ...desk, config, jobs, log, gateway, failPoint: () => Promise.resolve() }
      return await work({ ...context, ...createLoanChangeContext(context) })
    } finally {
      await jobs.stop()
    }
  })
}
