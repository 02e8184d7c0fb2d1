import { advanceRefund } from '#domain/refunds.ts'
import { paise } from '#domain/money.ts'
import type { ReviewKind } from '#domain/reviews.ts'
import type { ProviderRefund } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { reconcileLedgerToFacts } from '../../ledger/reconcile-ledger.ts'
import { postRefund } from '../../ledger/post-refund.ts'
import { isSentBackWhole } from '../../loans/refund-facts-store.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { sumRefunded } from '../link-money.ts'
import { findProviderPayment, type ProviderPaymentRow } from '../provider-payment-store.ts'
import { addRefund, changeRefund, listPaymentRefunds, type PaymentKey, type RefundChange, type RefundRow } from '../refund-store.ts'
import { addReview, closeRefundReviews, closeReview, type NewReview, reviewOwner } from '../review-store.ts'
import { addRefundNotice } from './refund-notice.ts'

/**
 * Fetches a payment's refunds from the provider and applies them.
 *
 * @returns false if the provider did not answer.
 */
export async function syncRefunds(context: MoneyContext, payment: PaymentKey): Promise<boolean> {
  const outcome = await context.gateway.refundsOf(payment.provider_payment_id)
  if (outcome.kind === 'found') await applyRefunds(context, payment, outcome.refunds)
  else context.log.warn({ payment: payment.provider_payment_id, reason: outcome.reason }, 'refunds not available from provider')
  return outcome.kind === 'found'
}

type RefundContext = { sql: Sql; own: OwnLoan; payment: ProviderPaymentRow; refunds: RefundRow[]; now: Date }

/**
 * Applies the provider's refunds of one payment: updates the stored refunds, posts each processed
 * refund once, and adds refunds that the provider or the lender made without Kist. Repeated,
 * reordered and parallel calls have the effect of one call. A payment that is not posted yet is
 * skipped.
 */
export async function applyRefunds({ database, clock }: MoneyContext, of: PaymentKey, reported: readonly ProviderRefund[]): Promise<void> {
  await database.asBorrower(of.borrower_id, async (sql) => {
    const own = await lockOwnLoan(sql, of.borrower_id, of.loan_id)
    const payment = await findProviderPayment(sql, of)
    if (!payment || payment.transaction_id === null) return
    const context: RefundContext = { sql, own, payment, refunds: await listPaymentRefunds(sql, of), now: clock.now() }
    for (const refund of reported.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime()))
      await applyRefund(context, refund)
  })
}

async function applyRefund(context: RefundContext, reported: ProviderRefund): Promise<void> {
  const known = findOwnRefund(context.refunds, reported)
  if (known === 'superseded') return
  if (known && isSentByBank(known)) {
    if (reported.status === 'processed') await addRefundReview(context, 'refund_mismatch', reported)
    return
  }
  const refund = known ?? (await addProviderRefund(context, reported))
  if (!refund) return
  // A failed refund can have been reduced since (reduceUnsent).
  const isOver = refund.status === 'failed' && reported.status === 'failed' && refund.provider_refund_id === reported.providerRefundId
  if (isOver) return
  if (refund.amount_paise !== reported.amountPaise) return addRefundReview(context, 'refund_mismatch', reported)
  // A failed refund that was made again by hand is followed from its beginning.
  const isMadeAgain = refund.status === 'failed' && refund.provider_refund_id !== reported.providerRefundId
  const current = isMadeAgain ? 'asked' : refund.status
  const status = reported.status === null ? current : advanceRefund(current, reported.status)
  const previous = refund.status
  const isSentNow = status === 'processed' && previous !== 'processed'
  if (isMadeAgain || isSentNow)
    await closeRefundReviews(context.sql, refund, isMadeAgain ? 'made again at the provider' : 'sent by the provider', context.now)
  if (previous === 'processed' && (reported.status === null || reported.status === 'failed'))
    await addRefundReview(context, 'refund_failed', reported, 'the provider had sent it before')
  const seen = { provider_refund_id: reported.providerRefundId, bank_reference: reported.bankReference ?? refund.bank_reference }
  const hasFailed = status === 'failed' && previous !== 'failed'
  const failure = hasFailed && { last_error: 'the provider reported a failure', refusals: refund.refusals + 1 }
  await updateRefund(context, refund, {
    ...seen,
    ...failure,
    status: isSentNow ? 'pending' : status,
  })
  // A refund by the lender reduces its payment, unless the refund has failed.
  if (refund.reason === 'by_lender' && hasFailed !== (previous === 'failed' && status !== 'failed')) await reconcileLedger(context)
  if (hasFailed) {
    await addRefundReview(context, 'refund_failed', reported)
    await addRefundNotice(context.sql, context.own.loan, refund, 'refund_failed', context.now)
  }
  if (isSentNow) await postProcessedRefund(context, refund)
}

async function updateRefund({ sql }: RefundContext, refund: RefundRow, to: RefundChange): Promise<void> {
  await changeRefund(sql, refund, to)
  Object.assign(refund, to)
}

/** Reads the changed facts and reallocates the loan's payments. */
async function reconcileLedger(context: RefundContext): Promise<void> {
  const { sql, own, now, payment } = context
  context.own = await lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
  await reconcileLedgerToFacts(sql, context.own, now, payment.provider)
}

/**
 * Finds the stored refund of a reported one: by the provider's id, by our id, or, without either,
 * a refund of the same amount that the provider has instead. `superseded`: the report belongs to an
 * earlier try of a refund that was submitted again.
 */
function findOwnRefund(refunds: readonly RefundRow[], reported: ProviderRefund): RefundRow | 'superseded' | undefined {
  const byProviderId = refunds.find((refund) => refund.provider_refund_id === reported.providerRefundId)
  if (byProviderId) return byProviderId
  const byOurId = refunds.find((refund) => refund.refund_id === reported.refundId)
  // A pending earlier try replaces a new one that the provider does not have: the money is sent
  // once.
  const replacesUnsent = byOurId?.status === 'asked' && reported.status === 'pending'
  const isCurrentTry = reported.status === 'processed' || byOurId?.refusals === reported.tryNumber || replacesUnsent
  if (byOurId && byOurId.provider_refund_id === null && isCurrentTry) return byOurId
  // A failure or an unprocessed earlier try does not affect the current try.
  if (reported.status === 'failed' || (byOurId && reported.status !== 'processed')) return 'superseded'
  const isUnknownOfOurs = reported.refundId !== null && byOurId === undefined
  return refunds.find((refund) => refund.amount_paise === reported.amountPaise && canBeMadeAlready(refund, isUnknownOfOurs))
}

/** A refund that had failed and that the lender's bank sent instead. */
export const isSentByBank = ({ status, provider_refund_id }: RefundRow): boolean => status === 'processed' && provider_refund_id === null

/**
 * Whether a refund of ours can be one that the provider has under no known id: it has failed, or it
 * is not accepted yet. A refund of credit is made by Kist first, since another payment can have the
 * same amount; Kist made it already if the provider's has an id of ours that is not known, as after
 * a restore to an earlier moment (`isUnknownOfOurs`).
 */
function canBeMadeAlready({ status, reason, refusals, provider_refund_id: id }: RefundRow, isUnknownOfOurs: boolean): boolean {
  if (reason === 'by_lender' || status === 'processed') return false
  return status === 'failed' || (id === null && (reason !== 'excess' || refusals > 0 || isUnknownOfOurs))
}

/**
 * Adds a refund that was made without Kist. It reduces the payment and can reopen dues, so it is
 * reviewed. A part of what Kist could not send back itself reduces that instead.
 */
async function addProviderRefund(context: RefundContext, reported: ProviderRefund): Promise<RefundRow | undefined> {
  const { sql, own, payment, now } = context
  // The money of a payment that was taken back is not in the ledger; nothing can leave it.
  const isCounted = own.facts.payments.some(({ paymentId }) => paymentId === payment.transaction_id)
  const unsent = isCounted ? await reduceUnsent(context, reported) : undefined
  if (!isCounted || sumRefunded(context.refunds) + reported.amountPaise > payment.amount_paise) {
    await addRefundReview(context, 'refund_mismatch', reported)
    return undefined
  }
  const added = await addRefund(sql, payment, {
    amount_paise: reported.amountPaise,
    reason: unsent?.reason === 'excess' ? 'excess' : 'by_lender',
    provider_refund_id: reported.providerRefundId,
    asked_at: now,
    asked_by: payment.provider,
  })
  await reconcileLedger(context)
  if (!unsent) await addRefundReview(context, 'refund_by_lender', reported)
  context.refunds = await listPaymentRefunds(sql, payment)
  return added
}

/**
 * Reduces a refund that has failed by a part of it that the provider has sent without Kist: one of
 * a payment that never counted, or of credit, where the payment does not have both amounts: a part
 * that failed and is made again has reduced it already. One that has not failed stays, because a
 * request without an answer can still send the whole.
 *
 * @returns the refund; undefined if there is none.
 */
async function reduceUnsent(
  context: RefundContext,
  { status, amountPaise, providerRefundId }: ProviderRefund,
): Promise<RefundRow | undefined> {
  const { sql, refunds, now, payment } = context
  const isTooMuch = sumRefunded(refunds) + amountPaise > payment.amount_paise
  const isPartOf = ({ reason, ...refund }: RefundRow) =>
    (isSentBackWhole(reason) || reason === 'excess') && refund.status === 'failed' && refund.amount_paise > amountPaise
  const unsent = isTooMuch ? refunds.find(isPartOf) : undefined
  if (unsent === undefined || status === null) return undefined
  await updateRefund(context, unsent, { amount_paise: paise(unsent.amount_paise - amountPaise) })
  const resolution = `${providerRefundId} sent a part of it`
  await closeRefundReviews(sql, unsent, resolution, now)
  await closeReview(sql, { borrowerId: payment.borrower_id, kind: 'refund_mismatch', about: providerRefundId }, resolution, now)
  await addReview(sql, refusedReview(unsent), now)
  return unsent
}

/** The review of a refund that has failed. */
export const refusedReview = (refund: RefundRow): NewReview => ({
  ...reviewOwner(refund),
  kind: 'refund_failed',
  about: `${refund.refund_id}:${refund.refusals}`,
  detail: {
    refund_id: refund.refund_id,
    amount_paise: String(refund.amount_paise),
    payment: refund.provider_payment_id,
    reason: refund.last_error,
  },
})

/** Posts a processed refund and notifies the borrower. */
async function postProcessedRefund(context: RefundContext, refund: RefundRow): Promise<void> {
  const { sql, own, payment, now } = context
  const money = { source: payment.provider, sourceId: refund.provider_refund_id ?? refund.refund_id, amountPaise: refund.amount_paise }
  const transactionId = await postRefund(sql, own, money, now, refund.asked_by)
  await updateRefund(context, refund, { status: 'processed', processed_at: now, transaction_id: transactionId, last_error: null })
  await addRefundNotice(sql, own.loan, refund, 'refund_processed', now)
}

async function addRefundReview(
  { sql, payment, now }: RefundContext,
  kind: ReviewKind,
  reported: ProviderRefund,
  why?: string,
): Promise<void> {
  await addReview(
    sql,
    {
      ...reviewOwner(payment),
      kind,
      about: why === undefined ? reported.providerRefundId : `${reported.providerRefundId}:after_processed`,
      detail: {
        refund: reported.providerRefundId,
        payment: payment.provider_payment_id,
        amount_paise: String(reported.amountPaise),
        status: reported.status,
        ...(why !== undefined && { why }),
      },
    },
    now,
  )
}
