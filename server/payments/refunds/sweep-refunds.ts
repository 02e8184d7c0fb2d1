import type { MoneyContext } from '../../context.ts'
import { syncRefunds } from './sync-refunds.ts'
import { claimDueRefunds, type RefundRow } from '../refund-store.ts'
import { submitRefund } from './submit-refund.ts'

const refundsAtOnce = 20
const firstMs = 60_000
const mostMs = 6 * 3_600_000

const backOffMs = ({ attempts }: RefundRow) => Math.min(firstMs * 2 ** Math.min(attempts, 20), mostMs)

/**
 * Looks after refunds whose time has come: one that the provider was to send is asked for again, one that it has is followed until the
 * money has left. So a refund ends even when its job was given up and every event was lost.
 *
 * @returns how many were looked at.
 */
export async function sweepRefunds(context: MoneyContext): Promise<number> {
  const refunds = await context.database.asSystem((sql) => claimDueRefunds(sql, context.clock.now(), refundsAtOnce, backOffMs))
  for (const refund of refunds) {
    if (refund.status === 'pending') await syncRefunds(context, refund)
    else
      await submitRefund(context, { borrowerId: refund.borrower_id, refundId: refund.refund_id }).catch((error: unknown) =>
        context.log.warn({ err: error, refund: refund.refund_id }, 'a refund is still not with the provider'),
      )
  }
  return refunds.length
}
