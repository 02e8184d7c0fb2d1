import type { createPaymentLink as call } from '#contract/payments.ts'
import { refusePayment } from '#domain/payments.ts'
import { logAccess } from '../../access-log.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../caller.ts'
import { Failure } from '../../http/failure.ts'
import type { Request, UseCase } from '../../http/route.ts'
import { providerUnavailable } from '../../loan-changes/change-refusals.ts'
import { openLinkOf } from '../../ledger/open-links-store.ts'
import { notOffered, offerAt } from '../../loans/offer.ts'
import { borrowerOf, findOwnLoan, lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { allowedCallback } from './callback-url.ts'
import { refuseOverQuota } from './link-quota.ts'
import { newLink } from './new-link.ts'
import { linkRefused, openAtProvider } from './open-at-provider.ts'
import { addHistory, addLink, keyOf, readLink, type LinkRow } from '../payment-store.ts'
import { quoteOnWire } from '../quote.ts'
import { lookUpLink } from './look-up-link.ts'

/**
 * Makes a payment link for exactly what is offered now. The intent is stored before the provider is asked, so that a
 * link whose making was not heard of is found again by its reference and never made twice (decision 38).
 */
export const createPaymentLink: UseCase<typeof call> = async (context, caller, asked) => {
  const callbackUrl = allowedCallback(asked.body.callback_url, context.config.origins)
  if (callbackUrl === null)
    throw new Failure('InvalidRequest', 'callback_url must be the waiting page of this portal.', { field: 'callback_url' })
  const request = { ...asked, body: { ...asked.body, callback_url: callbackUrl } }
  const { madeBefore } = request.attempt
  const intent =
    madeBefore === null
      ? ((await settleEarlierIntent(context, caller, request)) ?? (await intendLink(context, caller, request)))
      : await settleOwnIntent(context, caller, madeBefore)
  const link = intent.status === 'creating' ? await openAtProvider(context, intent, caller.actorId) : intent
  // An intent that the provider refused, or never heard of, is no link.
  if (link.payment_link_id === null || link.redirect_url === null) throw linkRefused()
  return {
    redirect_url: link.redirect_url,
    payment_link_id: link.payment_link_id,
    amount: link.amount_paise,
    expires_at: link.expires_at,
    quote: quoteOnWire(link),
  }
}

/**
 * What an earlier try of this very request made, of which nobody knows what became of it (decision 56): the provider is asked. Where it does
 * not know the link yet, the link is made now, under its old reference.
 */
async function settleOwnIntent(context: Context, caller: Caller, paymentIntentId: string): Promise<LinkRow> {
  const key = { borrowerId: borrowerOf(caller), paymentIntentId }
  const intent = await context.database.asBorrower(key.borrowerId, (sql) => readLink(sql, key))
  if (intent.status !== 'creating') return intent
  const { link: found } = await lookUpLink(context, intent, { source: 'borrower', actorId: caller.actorId })
  if (found.status === 'creating' && found.cancel_requested_at !== null) throw providerUnavailable()
  return found
}

/**
 * An earlier link of this loan whose making was not heard of is looked for first. Found and for the same purpose, it is
 * the answer, with its own amount; still unknown, the same order tries it again under its old reference, any other waits.
 */
async function settleEarlierIntent(context: Context, caller: Caller, request: Request<typeof call>): Promise<LinkRow | null> {
  const borrowerId = borrowerOf(caller)
  const { body, attempt } = request
  const open = await context.database.asBorrower(borrowerId, async (sql) => {
    const loan = await findOwnLoan(sql, borrowerId, body.lead_id, body.application_id)
    return openLinkOf(sql, borrowerId, loan.loan_id)
  })
  if (open?.status !== 'creating') return null
  const { link: found } = await lookUpLink(context, open, { source: 'borrower', actorId: caller.actorId })
  if (found.status === 'refused' || found.status === 'expired' || found.status === 'cancelled') return null
  const isWanted = found.status === 'created' || (found.status === 'creating' && found.amount_paise === body.amount)
  if (found.purpose !== body.purpose || !isWanted || found.cancel_requested_at !== null) throw pending()
  await context.database.asBorrower(borrowerId, (sql) => attempt.remember(sql, found.payment_intent_id))
  return found
}

/** Under the loan's row lock: nothing pending, exactly what is offered, and the intent is stored. */
async function intendLink({ database, clock, config }: Context, caller: Caller, request: Request<typeof call>): Promise<LinkRow> {
  const borrowerId = borrowerOf(caller)
  const { body, origin, attempt } = request
  return database.asBorrower(borrowerId, async (sql) => {
    const { loan_id: loanId } = await findOwnLoan(sql, borrowerId, body.lead_id, body.application_id)
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    const now = clock.now()
    if (await openLinkOf(sql, borrowerId, loanId)) throw pending()
    refuseWhatIsNotOffered(own, body, now)
    await refuseOverQuota(sql, config, { borrowerId, sessionId: caller.sessionId }, now)
    const link = { ...newLink(own, body, { now, actorId: caller.actorId, ...config.payments }), session_id: caller.sessionId }
    await addLink(sql, link)
    await attempt.remember(sql, link.payment_intent_id)
    await addHistory(sql, keyOf(link), { at: now, from: null, to: 'creating', source: 'borrower', actorId: caller.actorId })
    await logAccess(sql, {
      at: now,
      subjectId: borrowerId,
      actorId: caller.actorId,
      action: 'payment_link_created',
      outcome: 'done',
      origin,
      detail: { reference: link.reference },
    })
    return link
  })
}

function refuseWhatIsNotOffered({ facts }: OwnLoan, body: Request<typeof call>['body'], now: Date): void {
  const refusal = refusePayment(offerAt(facts, now), body.purpose, body.amount)
  if (refusal) throw notOffered(refusal)
}

const pending = () => new Failure('PaymentAlreadyPending', 'Another payment of this loan is pending. Finish or cancel it first.')
