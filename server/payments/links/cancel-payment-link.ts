import type { cancelPaymentLink as call } from '#contract/payments.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../caller.ts'
import { Failure, notFound } from '../../http/failure.ts'
import type { UseCase } from '../../http/route.ts'
import { logLinkCancel } from '../../ledger/link-cancel-store.ts'
import { requireBorrower } from '../../loans/own-loan.ts'
import { providerUnavailable } from '../../loan-changes/change-refusals.ts'
import { cancelOpenLink } from './cancel-open-link.ts'
import { paymentLinkOnWire, shownStatus } from '../payment-link-on-wire.ts'
import { findLinkByProviderId } from './link-store.ts'
import { listLinkPayments } from '../provider-payment-store.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'

/** Cancels a link. Only the provider's answer decides whether it is cancelled (decision 39). */
export const cancelPaymentLink: UseCase<typeof call> = async (context, caller, { query, origin }) => {
  const borrowerId = requireBorrower(caller)
  const link = await context.database.asBorrower(borrowerId, (sql) => findLinkByProviderId(sql, borrowerId, query.payment_link_id))
  if (!link || link.status === 'refused') throw notFound()
  const current = link.status === 'created' ? await cancelAtProvider(context, caller, link) : link
  return context.database.asBorrower(borrowerId, async (sql) => {
    const payments = await listLinkPayments(sql, borrowerId, [link.payment_intent_id])
    if (current.status !== 'cancelled') throw notCancellable(current)
    const act = { actorId: caller.actorId, origin, now: context.clock.now() }
    await logLinkCancel(sql, current, act, { wasOpen: link.status === 'created' })
    return { success: true as const, payment_link: paymentLinkOnWire(current, payments) }
  })
}

/**
 * @throws Failure PaymentGatewayUnavailable if the provider does not answer; nothing is changed.
 */
async function cancelAtProvider(context: Context, caller: Caller, link: LinkRow): Promise<LinkRow> {
  const outcome = await cancelOpenLink(context, link, { source: 'borrower', actorId: caller.actorId })
  if (outcome.kind === 'unknown') throw providerUnavailable()
  return outcome.link
}

function notCancellable(link: LinkRow): Failure {
  const status = shownStatus(link.status)
  return new Failure('PaymentLinkNotCancellable', `This payment link is ${status.replace('_', ' ')} and can no longer be cancelled.`, {
    payment_link: { payment_link_id: link.payment_link_id ?? '', status },
  })
}
