import type { createPaymentLink as call } from '#contract/payments.ts'
import { isClosedLink } from '#domain/payment-links.ts'
import { linkMinimumPaise, refusePayment } from '#domain/payments.ts'
import { logAction } from '../../access-log.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../caller.ts'
import { Failure } from '../../http/failure.ts'
import type { Request, UseCase } from '../../http/route.ts'
import { debitInProgress, providerUnavailable } from '../../loan-changes/change-refusals.ts'
import { findOpenLink, findPresentedDebit, type LinkRow } from '../../ledger/open-links-store.ts'
import { notOffered, offerAt } from '../../loans/offer.ts'
import { requireBorrower, findOwnLoan, lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { parseCallbackUrl } from './callback-url.ts'
import { refuseOverQuota } from '../hourly-quota.ts'
import { buildLink } from './new-link.ts'
import { linkRefused, openAtProvider } from './open-at-provider.ts'
import { addHistory, addLink, hadStatus, keyOf, listSessionLinkTimes, readLink } from './link-store.ts'
import { quoteOnWire } from '../quote.ts'
import { createInFlightMsMax, lookUpLink } from './look-up-link.ts'

/**
 * Creates a payment link for exactly the amount on offer. The intent is stored before the provider
 * is called, so a link whose creation was not confirmed is found by its reference and never created
 * twice (decision 38).
 */
export const createPaymentLink: UseCase<typeof call> = async (context, caller, received) => {
  const callbackUrl = parseCallbackUrl(received.body.callback_url, context.config.origins)
  if (callbackUrl === null)
    throw new Failure('InvalidRequest', 'callback_url must be the waiting page of this portal.', { field: 'callback_url' })
  const request = { ...received, body: { ...received.body, callback_url: callbackUrl } }
  const { madeBefore } = request.attempt
  const intent =
    madeBefore === null ? await resumeOrStoreIntent(context, caller, request) : await resumeOwnIntent(context, caller, madeBefore)
  const link =
    intent.status === 'creating'
      ? await openAtProvider(context, intent, { actorId: caller.actorId, language: request.query.language })
      : intent
  // The provider refused the intent or did not know it. A link that appears later must not be used.
  if (link.status === 'refused' || link.payment_link_id === null || link.redirect_url === null) throw linkRefused()
  return {
    redirect_url: link.redirect_url,
    payment_link_id: link.payment_link_id,
    amount: link.amount_paise,
    expires_at: link.expires_at,
    quote: quoteOnWire(link),
  }
}

/**
 * Continues the intent of an earlier attempt of the same request, whose outcome is unknown
 * (decision 56). If the provider does not know the link, the caller creates it under the same
 * reference.
 */
async function resumeOwnIntent(context: Context, caller: Caller, paymentIntentId: string): Promise<LinkRow> {
  const key = { borrowerId: requireBorrower(caller), paymentIntentId }
  const { intent, isRefused } = await context.database.asBorrower(key.borrowerId, async (sql) => ({
    intent: await readLink(sql, key),
    isRefused: await hadStatus(sql, key, 'refused'),
  }))
  // A refused link that appeared and ended later has another status, and must not be used either.
  if (isRefused) throw linkRefused()
  if (intent.status !== 'creating') return intent
  const { link: found } = await lookUpLink(context, intent, { source: 'borrower', actorId: caller.actorId })
  if (found.status === 'creating' && found.cancel_requested_at !== null) throw providerUnavailable()
  return found
}

/** Another request can store its intent after this one has looked for it; it is continued then. */
async function resumeOrStoreIntent(context: Context, caller: Caller, request: Request<typeof call>): Promise<LinkRow> {
  const intent =
    (await resumeEarlierIntent(context, caller, request)) ??
    (await storeIntent(context, caller, request)) ??
    (await resumeEarlierIntent(context, caller, request))
  if (intent === null) throw paymentPending()
  return intent
}

/**
 * Looks for an earlier intent of this loan whose creation was not confirmed. If the link exists for
 * the same purpose, it is the answer, with its own amount. If it is still unknown, a request with
 * the same amount and purpose continues it under the same reference; any other request must wait.
 */
async function resumeEarlierIntent(context: Context, caller: Caller, request: Request<typeof call>): Promise<LinkRow | null> {
  const borrowerId = requireBorrower(caller)
  const { body, attempt } = request
  const open = await context.database.asBorrower(borrowerId, async (sql) => {
    const loan = await findOwnLoan(sql, borrowerId, body.lead_id, body.application_id)
    return findOpenLink(sql, borrowerId, loan.loan_id)
  })
  if (open?.status !== 'creating') return null
  const { link: found } = await lookUpLink(context, open, { source: 'borrower', actorId: caller.actorId })
  if (isClosedLink(found.status)) return null
  const isWanted = found.status === 'created' || (found.status === 'creating' && found.amount_paise === body.amount)
  if (found.purpose !== body.purpose || !isWanted || found.cancel_requested_at !== null)
    throw found.status === 'creating' ? attemptBeingChecked() : paymentPending()
  await context.database.asBorrower(borrowerId, (sql) => attempt.remember(sql, found.payment_intent_id))
  return found
}

/**
 * Checks the request under the loan's row lock and stores the intent.
 *
 * @returns null if the loan has an intent whose link is still being created.
 */
async function storeIntent({ database, clock, config }: Context, caller: Caller, request: Request<typeof call>): Promise<LinkRow | null> {
  const borrowerId = requireBorrower(caller)
  const { body, origin, attempt } = request
  return database.asBorrower(borrowerId, async (sql) => {
    const { loan_id: loanId } = await findOwnLoan(sql, borrowerId, body.lead_id, body.application_id)
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    const now = clock.now()
    const open = await findOpenLink(sql, borrowerId, loanId)
    if (open?.status === 'creating') return null
    if (open) throw paymentPending()
    const debit = await findPresentedDebit(sql, borrowerId, loanId)
    if (debit) throw debitInProgress(debit, now)
    refuseUnlessOffered(own, body, now)
    const made = {
      listTimes: (since: Date) => listSessionLinkTimes(sql, borrowerId, caller.sessionId, since),
      refusal: (max: number) => `A session can have ${max} payment links made in an hour. Please wait.`,
    }
    await refuseOverQuota(config, made, now)
    const link = buildLink(own, body, { now, ...caller, ...config.payments })
    await addLink(sql, link)
    await attempt.remember(sql, link.payment_intent_id)
    await addHistory(sql, keyOf(link), { at: now, from: null, to: 'creating', source: 'borrower', actorId: caller.actorId })
    await logAction(sql, { borrowerId, actorId: caller.actorId, origin, now }, 'payment_link_created', { reference: link.reference })
    return link
  })
}

function refuseUnlessOffered({ facts }: OwnLoan, body: Request<typeof call>['body'], now: Date): void {
  const refusal = refusePayment(offerAt(facts, now), body.purpose, body.amount)
  if (refusal) throw notOffered(refusal)
  if (body.amount < linkMinimumPaise) throw notOffered('below_link_minimum')
}

const paymentPending = () => new Failure('PaymentAlreadyPending', 'Another payment of this loan is pending. Finish or cancel it first.')

/** An attempt whose link is not confirmed is shown on no screen, where it could be cancelled. */
const attemptBeingChecked = () =>
  new Failure(
    'PaymentAlreadyPending',
    'Your last attempt is still being checked. Try again in two minutes, or make the same payment again.',
    { retryAfterSeconds: createInFlightMsMax / 1_000 },
  )
