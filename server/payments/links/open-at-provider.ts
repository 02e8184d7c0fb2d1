import type { LinkRequest } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../http/failure.ts'
import { storeSnapshot } from './store-snapshot.ts'
import { addHistory, changeLink, keyOf, lockLink } from './link-store.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'

/**
 * Creates the link of a stored intent at the provider. The provider refuses a second link with the
 * same reference, and the gateway then finds the first, so two tabs or a retry get the same link.
 *
 * @throws Failure PaymentGatewayUnavailable if the creation is not confirmed; the intent stays.
 * @throws Failure PaymentGatewayRefused if the provider refuses; the intent is closed.
 */
export async function openAtProvider(
  context: Context,
  intent: LinkRow,
  { actorId, language }: { actorId: string; language: LinkRequest['language'] },
): Promise<LinkRow> {
  await context.failPoint('intent_stored')
  const outcome = await context.gateway.createLink({
    reference: intent.reference,
    amountPaise: intent.amount_paise,
    description: descriptions[intent.purpose],
    callbackUrl: intent.callback_url,
    expiresAt: intent.expires_at,
    language,
  })
  await context.failPoint('link_made')
  switch (outcome.kind) {
    case 'created': {
      const { link } = await storeSnapshot(context, keyOf(intent), outcome.link, { source: 'borrower', actorId })
      if (link.status === 'created') return link
      // A link with a different amount, or one that was given up, must not be paid.
      if (link.status === 'creating' || link.status === 'refused') await context.gateway.cancelLink(outcome.link.paymentLinkId)
      return refuse(context, intent, actorId, `the provider returned a link with status ${link.status}`)
    }
    case 'refused':
      return refuse(context, intent, actorId, outcome.reason)
    case 'unknown':
      context.log.warn({ reference: intent.reference, reason: outcome.reason }, 'payment link creation not confirmed by provider')
      throw new Failure('PaymentGatewayUnavailable', 'The payment provider cannot be reached. No money has moved; please try again.')
  }
}

const descriptions: Record<LinkRow['purpose'], string> = {
  PAY_EMI: 'Loan instalment',
  OVERDUE: 'Overdue loan amount',
  FORECLOSURE: 'Loan foreclosure',
  PART_PAYMENT__REDUCE_EMI: 'Part payment, reduces the EMI',
  PART_PAYMENT__REDUCE_TENOR: 'Part payment, reduces the tenor',
}

async function refuse({ database, clock, log }: Context, intent: LinkRow, actorId: string, reason: string): Promise<never> {
  log.error({ reference: intent.reference, reason }, 'provider refused to create a payment link')
  await database.asBorrower(intent.borrower_id, async (sql) => {
    const link = await lockLink(sql, keyOf(intent))
    if (link.status !== 'creating') return
    await changeLink(sql, keyOf(intent), { status: 'refused' })
    await addHistory(sql, keyOf(intent), { at: clock.now(), from: 'creating', to: 'refused', source: 'borrower', actorId })
  })
  throw linkRefused()
}

export const linkRefused = (): Failure =>
  new Failure('PaymentGatewayRefused', 'The payment provider refused to make the link. No money has moved.')
