import { hourMs } from '#domain/durations.ts'
import type { MoneyContext } from '../../context.ts'
import { backOffMs } from '../../jobs/back-off.ts'
import { collectFailures } from '../../jobs/collect-failures.ts'
import { syncRefunds } from './sync-refunds.ts'
import { claimRefunds, selectDueRefunds } from '../refund-store.ts'
import { submitRefund } from './submit-refund.ts'

const refundsPerBatch = 20
const backOff = { firstMs: 60_000, maxMs: 6 * hourMs }

/**
 * Checks the refunds that are due: submits those that the provider does not have, and syncs those
 * that it has. So a refund ends even if its job failed and every webhook was lost.
 *
 * @returns the number of refunds checked.
 * @throws Error if some could not be checked. The others were, and these are due again later.
 */
export async function sweepRefunds(context: MoneyContext): Promise<number> {
  const { database, clock } = context
  const now = clock.now()
  const found = await database.findAvailable(refundsPerBatch, (sql) => selectDueRefunds(sql, now, refundsPerBatch))
  if (found.length === 0) return 0
  const refunds = await database.asSystem((sql) => claimRefunds(sql, found, now, ({ attempts }) => backOffMs(attempts, backOff)))
  const failures = collectFailures()
  for (const refund of refunds) {
    if (refund.provider_refund_id !== null)
      await syncRefunds(context, refund).catch((error: unknown) => {
        failures.add(error)
        context.log.error({ err: error, refund: refund.refund_id }, 'refund could not be applied')
      })
    else
      await submitRefund(context, { borrowerId: refund.borrower_id, refundId: refund.refund_id }).catch((error: unknown) => {
        failures.add(error)
        context.log.warn({ err: error, refund: refund.refund_id }, 'refund not confirmed by provider')
      })
  }
  failures.throwIfAny(refunds.length, 'refunds could not be checked')
  return refunds.length
}
