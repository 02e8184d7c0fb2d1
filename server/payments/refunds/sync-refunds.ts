import { uuidv7 } from 'uuidv7'
import { dayInIndia } from '#domain/calendar.ts'
import { advanceRefund } from '#domain/refunds.ts'
import type { ProviderRefund } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { reconcileLedgerToFacts } from '../../ledger/reconcile-ledger.ts'
import { postRefund } from '../../ledger/post-refund.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { addNotice } from '../../notices/add-notice.ts'
import { findProviderPayment, type ProviderPaymentRow } from '../payment-store.ts'
import { addRefund, changeRefund, refundsOfPayment, type PaymentKey, type RefundChange, type RefundRow } from '../refund-store.ts'
import { addReview, type ReviewKind } from '../review-store.ts'

/** Asks the provider what became of a payment's refunds and applies what it says. @returns false when it did not tell. */
export async function syncRefunds(context: MoneyContext, payment: PaymentKey): Promise<boolean> {
  const outcome = await context.gateway.refundsOf(payment.provider_payment_id)
  if (outcome.kind === 'found') await applyRefunds(context, payment, outcome.refunds)
  else context.log.warn({ payment: payment.provider_payment_id, reason: outcome.reason }, 'the provider did not tell of its refunds')
  return outcome.kind === 'found'
}

type Desk = { sql: Sql; own: OwnLoan; payment: ProviderPaymentRow; refunds: RefundRow[]; now: Date }

/**
 * Takes the provider's view of refunds of one payment and moves ours forward: what has left is posted, once; what was sent back
 * without us, by the provider itself or by the lender's hand there, is taken over. Called any number of times, in any order and at
 * once, it has the effect of one call. A payment that is not in the ledger yet is left alone: its posting comes first.
 */
export async function applyRefunds(context: MoneyContext, of: PaymentKey, reported: readonly ProviderRefund[]): Promise<void> {
  const { database, clock } = context
  await database.asBorrower(of.borrower_id, async (sql) => {
    const own = await lockOwnLoan(sql, of.borrower_id, of.loan_id)
    const payment = await findProviderPayment(sql, of)
    if (!payment || payment.transaction_id === null) return
    const desk: Desk = { sql, own, payment, refunds: await refundsOfPayment(sql, of), now: clock.now() }
    for (const refund of reported.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime()))
      await applyRefund(desk, refund)
  })
}

async function applyRefund(desk: Desk, reported: ProviderRefund): Promise<void> {
  const known = ourRefund(desk.refunds, reported)
  if (known === 'superseded') return
  const refund = known ?? (await takeOver(desk, reported))
  if (!refund) return
  if (refund.amount_paise !== reported.amountPaise) return review(desk, 'refund_mismatch', reported)
  const status = reported.status === null ? refund.status : advanceRefund(refund.status, reported.status)
  const was = refund.status
  const seen = { provider_refund_id: reported.providerRefundId, bank_reference: reported.bankReference ?? refund.bank_reference }
  const hasFailed = status === 'failed' && was !== 'failed'
  const failure = hasFailed && { last_error: 'the provider said that it failed', refusals: refund.refusals + 1 }
  await change(desk, refund, { ...seen, ...failure, status: status === 'processed' ? (was === 'processed' ? was : 'pending') : status })
  // Made at the provider by hand, it takes its payment back only while it may arrive.
  if (refund.reason === 'by_lender' && hasFailed !== (was === 'failed' && status !== 'failed')) await realign(desk)
  if (hasFailed) await review(desk, 'refund_failed', reported)
  if (status === 'processed' && was !== 'processed') await finish(desk, refund)
}

async function change({ sql }: Desk, refund: RefundRow, to: RefundChange): Promise<void> {
  await changeRefund(sql, refund, to)
  Object.assign(refund, to)
}

/** The facts have changed: what payments settled is put where it belongs now. */
async function realign(desk: Desk): Promise<void> {
  const { sql, own, now, payment } = desk
  desk.own = await lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
  await reconcileLedgerToFacts(sql, desk.own, now, payment.provider)
}

/**
 * Which of our refunds the provider tells of: by its id, by ours, or, where it has neither, one that was decided and that the
 * provider carried out by itself. `superseded`: a failure of before, after which the same refund was tried again.
 */
function ourRefund(refunds: readonly RefundRow[], reported: ProviderRefund): RefundRow | 'superseded' | undefined {
  const byProviderId = refunds.find((refund) => refund.provider_refund_id === reported.providerRefundId)
  if (byProviderId) return byProviderId
  const named = refunds.find((refund) => refund.refund_id === reported.refundId)
  // A try before that is on its way takes the place of a new one that the provider does not have yet: the money leaves once.
  const isUnsent = named?.status === 'asked' && reported.status === 'pending'
  const isNow = reported.status === 'processed' || named?.refusals === reported.tryNumber || isUnsent
  if (named && named.provider_refund_id === null && isNow) return named
  // A failure, or a try of before that has not left, says nothing of the one that is under way.
  if (reported.status === 'failed' || (named && reported.status !== 'processed')) return 'superseded'
  return refunds.find(
    (refund) =>
      refund.provider_refund_id === null &&
      refund.status !== 'processed' &&
      refund.reason !== 'excess' &&
      refund.amount_paise === reported.amountPaise,
  )
}

/** Money that went back without us: that much of the payment never counted. It is on the list, since it may reopen what was paid. */
async function takeOver(desk: Desk, reported: ProviderRefund): Promise<RefundRow | undefined> {
  const { sql, own, payment, refunds, now } = desk
  const gone = refunds.reduce((sum, refund) => sum + refund.amount_paise, 0n)
  if (gone + reported.amountPaise > payment.amount_paise) {
    await review(desk, 'refund_mismatch', reported)
    return undefined
  }
  const refundId = uuidv7()
  await addRefund(sql, {
    borrower_id: own.loan.borrower_id,
    loan_id: own.loan.loan_id,
    refund_id: refundId,
    provider: payment.provider,
    provider_payment_id: payment.provider_payment_id,
    payment_intent_id: payment.payment_intent_id,
    amount_paise: reported.amountPaise,
    reason: 'by_lender',
    status: 'asked',
    provider_refund_id: reported.providerRefundId,
    asked_at: now,
    asked_by: payment.provider,
    next_check_at: now,
  })
  await realign(desk)
  await review(desk, 'refund_by_lender', reported)
  desk.refunds = await refundsOfPayment(sql, payment)
  return desk.refunds.find((refund) => refund.refund_id === refundId)
}

/** The money has left: posted with it, and the borrower is told. */
async function finish(desk: Desk, refund: RefundRow): Promise<void> {
  const { sql, own, payment, now } = desk
  const money = { source: payment.provider, sourceId: refund.provider_refund_id ?? refund.refund_id, amountPaise: refund.amount_paise }
  const transactionId = await postRefund(sql, own, money, now, refund.asked_by)
  await change(desk, refund, { status: 'processed', processed_at: now, transaction_id: transactionId, last_error: null })
  await addNotice(
    sql,
    {
      borrowerId: own.loan.borrower_id,
      about: `refunded:${refund.refund_id}`,
      kind: 'refund_processed',
      lan: own.loan.lan,
      amountPaise: refund.amount_paise,
      date: dayInIndia(now),
      ...(refund.bank_reference !== null && { subject: refund.bank_reference }),
    },
    now,
  )
}

async function review({ sql, own, payment, now }: Desk, kind: ReviewKind, reported: ProviderRefund): Promise<void> {
  await addReview(
    sql,
    {
      borrowerId: own.loan.borrower_id,
      loanId: own.loan.loan_id,
      paymentIntentId: payment.payment_intent_id,
      kind,
      about: reported.providerRefundId,
      detail: {
        refund: reported.providerRefundId,
        payment: payment.provider_payment_id,
        amount_paise: String(reported.amountPaise),
        status: reported.status,
      },
    },
    now,
  )
}
