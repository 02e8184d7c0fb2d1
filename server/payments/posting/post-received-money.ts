import { dayInIndia } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { smallerPaise, sumPaise, zeroPaise } from '#domain/money.ts'
import { returnedUncaptured } from '#domain/notices.ts'
import { decideDisposition, isStillOwed, type PaymentDisposition } from '#domain/payment-disposition.ts'
import { repaysMoreThanDues } from '#domain/payments.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { isDatabaseUnavailable } from '../../database/unavailable.ts'
import { ledgerDay } from '../../ledger/postings.ts'
import { findOpenLink, requestLinkCancel, type LinkRow } from '../../ledger/open-links-store.ts'
import { listRepaymentsSince } from '../../ledger/ledger-store.ts'
import { receiveMoney, withPayment, type NewRepayment, type PostedRepayment } from '../../ledger/receive-money.ts'
import { lockOwnLoanAndRead, type OwnLoan } from '../../loans/own-loan.ts'
import { addNotice } from '../../add-notice.ts'
import { sumCounted, isAllApplied } from '../link-money.ts'
import { changeLink, keyOf, lockLink, type LinkKey } from '../links/link-store.ts'
import { buildLinkToPost, linkToPostReads } from './link-to-post-store.ts'
import { markPosted, listLinkPayments, type ProviderPaymentRow } from '../provider-payment-store.ts'
import type { StoredLink } from '../links/store-snapshot.ts'
import { requestRefund } from '../refunds/request-refund.ts'
import { addReview, reviewOwner } from '../review-store.ts'
import { replaceRecorded } from './replace-recorded.ts'

/**
 * Posts the link's payments that the ledger does not have yet, and only then marks the loan as
 * updated.
 *
 * @throws Error if the posting failed: it is rolled back, logged and reviewed. The sweeper retries.
 */
export const postReceivedMoney = (context: MoneyContext, link: LinkRow): Promise<StoredLink> =>
  context.database
    .asBorrower(link.borrower_id, (sql) => postUnderLock(context, sql, link))
    .catch((error: unknown) => reportFailedPosting(context, link, error))

/** @throws the error of the posting. */
async function reportFailedPosting(context: MoneyContext, link: LinkRow, error: unknown): Promise<never> {
  if (!isDatabaseUnavailable(error)) {
    context.log.error({ err: error, reference: link.reference }, 'payment could not be posted')
    await reviewUnpostedPayments(context, keyOf(link), error)
  }
  throw error
}

/**
 * Adds a review for each unposted payment of the link. They are read again under the link's lock:
 * a concurrent attempt may have posted them and resolved their reviews.
 */
async function reviewUnpostedPayments({ database, clock }: MoneyContext, key: LinkKey, error: unknown): Promise<void> {
  const why = error instanceof Error ? error.message : String(error)
  await database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    for (const payment of selectUnposted(await listLinkPayments(sql, key.borrowerId, [key.paymentIntentId])))
      await addReview(
        sql,
        {
          ...reviewOwner(link),
          kind: 'not_posted',
          about: payment.provider_payment_id,
          detail: { payment: payment.provider_payment_id, amount_paise: String(payment.amount_paise), why },
        },
        clock.now(),
      )
  })
}

async function postUnderLock(
  context: MoneyContext,
  sql: Sql,
  { borrower_id: borrowerId, loan_id: loanId, ...known }: LinkRow,
): Promise<StoredLink> {
  const { clock, config, failPoint } = context
  const key = { borrowerId, paymentIntentId: known.payment_intent_id }
  // The loan before the link, as everywhere, so that no two transactions wait for each other.
  const locked = await lockOwnLoanAndRead(sql, borrowerId, loanId, linkToPostReads(key))
  let { own } = locked
  const { link, payments, refunds, closedAs } = buildLinkToPost(locked.rows, key)
  await failPoint('posting_begun')
  const now = clock.now()
  const unposted = selectUnposted(payments)
  const factsBefore = new Map<ProviderPaymentRow, LoanFacts>()
  for (const payment of unposted) {
    const left = await replaceRecorded(sql, own, payment, now)
    if (left !== own) factsBefore.set(payment, own.facts)
    own = left
  }
  let countedPaise = sumCounted(payments, refunds)
  const hasLaterPayment = closedAs.size > 0 && (await hasPaymentAfter(sql, own, link, payments))
  for (const payment of unposted) {
    const recorded = factsBefore.get(payment)
    const terms = { facts: own.facts, link: toLinkTerms(link), closedAs, countedPaise, hasLaterPayment }
    const input = { ...terms, ...(recorded && { recorded }) }
    const reported = { paidAt: payment.paid_at, amountPaise: payment.amount_paise, isCaptured: payment.captured }
    const disposition = decideDisposition(input, reported, ledgerDay(own.facts, now))
    const posted = await receiveMoney(sql, own, toRepayment(payment, disposition), now, link.created_by)
    await markPosted(sql, payment, posted.paymentId, now)
    payment.transaction_id = posted.paymentId
    own = { ...own, facts: withPayment(own.facts, posted) }
    if (disposition.returnedAs === null) {
      countedPaise += payment.amount_paise
      await announcePayment(sql, own, link, payment, posted, countedPaise, now)
      if (disposition.purpose === null && repaysMoreThanDues(link.purpose)) await reviewLateMoney(sql, own, link, payment, now)
    } else {
      const isNeeded =
        !payment.captured && disposition.returnedAs !== 'duplicate' && isStillOwed(own.facts, link.purpose, ledgerDay(own.facts, now))
      const refund = { amountPaise: payment.amount_paise, reason: disposition.returnedAs, askedBy: 'system', note: null, isTold: !isNeeded }
      await requestRefund(sql, context.jobs, { loan: own.loan, payment, ...refund }, now)
      if (isNeeded) await announceUncaptured(sql, own, link, payment, now)
    }
  }
  if (closedAs.size > 0) await cancelNextLink(sql, own, link, now)
  const isDone = isAllApplied(link, payments)
  // A second capture may still come, so a link that is done is checked again after the usual wait
  // of a new link.
  const nextCheck = new Date(now.getTime() + config.payments.sweepAfterSeconds * 1_000)
  const change = { rps_updated: isDone, settled_at: now, ...(isDone && { next_check_at: nextCheck }) }
  await changeLink(sql, keyOf(link), change)
  await failPoint('posting_written')
  return { link: { ...link, ...change }, payments }
}

/** What the payment was for is still due: the notice asks the borrower to look at it. */
function announceUncaptured(sql: Sql, { loan }: OwnLoan, link: LinkRow, payment: ProviderPaymentRow, now: Date): Promise<void> {
  const { amount_paise: amountPaise, provider_payment_id, paid_at } = payment
  const about = `uncaptured:${provider_payment_id}`
  const subject = returnedUncaptured
  const of = { borrowerId: loan.borrower_id, lan: loan.lan, amountPaise, date: dayInIndia(paid_at), paymentLinkId: link.payment_link_id }
  return addNotice(sql, { ...of, about, kind: 'payment_reversed', subject }, now)
}

/**
 * Adds a review of money that no longer closes the loan or repays principal, because its link had
 * ended (decision 24): what was not due is credit that nobody has asked for.
 */
async function reviewLateMoney(sql: Sql, { facts }: OwnLoan, link: LinkRow, payment: ProviderPaymentRow, now: Date): Promise<void> {
  const state = loanStateToPost(facts, ledgerDay(facts, now))
  const lines = state.allocations.find(({ paymentId }) => paymentId === payment.transaction_id)?.lines ?? []
  const excess = lines.filter(({ component }) => component === 'excess').map(({ amountPaise }) => amountPaise)
  const creditPaise = smallerPaise(sumPaise(excess), state.creditPaise)
  // The follow-up returns the credit of a closed loan.
  if (creditPaise === 0n || state.status === 'CLOSED') return
  const { provider_payment_id: about } = payment
  const detail = { payment: about, purpose: link.purpose, credit_paise: String(creditPaise) }
  await addReview(sql, { ...reviewOwner(link), kind: 'late_for_purpose', about, detail }, now)
}

/**
 * Whether another payment of the loan was posted after a link was made: its quote is outdated.
 * Money that goes back changed nothing.
 */
async function hasPaymentAfter(sql: Sql, { facts }: OwnLoan, link: LinkRow, payments: readonly ProviderPaymentRow[]): Promise<boolean> {
  const since = await listRepaymentsSince(sql, link, link.created_at)
  const ofLink = new Set(payments.map(({ transaction_id }) => transaction_id))
  return facts.payments.some(
    ({ paymentId, amountPaise, heldPaise = zeroPaise }) => since.has(paymentId) && !ofLink.has(paymentId) && heldPaise < amountPaise,
  )
}

/**
 * Late money that closes the loan leaves nothing for the loan's next link: it is cancelled, so that
 * nobody pays twice.
 */
async function cancelNextLink(sql: Sql, { loan, facts }: OwnLoan, link: LinkRow, now: Date): Promise<void> {
  const next = await findOpenLink(sql, loan.borrower_id, loan.loan_id)
  if (!next || next.payment_intent_id === link.payment_intent_id || next.cancel_requested_at !== null) return
  if (loanStateToPost(facts, ledgerDay(facts, now)).status !== 'CLOSED') return
  await requestLinkCancel(sql, next, { at: now, by: 'system', nextCheckAt: now })
}

/**
 * Payments without a posting: captured ones first, then those that the provider returned without
 * capturing; oldest first.
 */
const selectUnposted = (payments: readonly ProviderPaymentRow[]): ProviderPaymentRow[] => {
  const unposted = payments.filter(({ transaction_id }) => transaction_id === null)
  return [...unposted.filter(({ captured }) => captured), ...unposted.filter(({ captured }) => !captured)]
}

const toLinkTerms = ({ amount_paise, purpose, created_at, expires_at, quoted_for }: LinkRow) => ({
  amountPaise: amount_paise,
  purpose,
  createdAt: created_at,
  expiresAt: expires_at,
  quotedFor: quoted_for,
})

/**
 * A provider's payment as the ledger receives it; its value date is the India date of the payment
 * (decision 24).
 */
export const toRepayment = (payment: ProviderPaymentRow, { purpose, returnedAs, quotedAheadFor }: PaymentDisposition): NewRepayment => ({
  source: payment.provider,
  sourceId: payment.provider_payment_id,
  account: 'provider_clearing',
  amountPaise: payment.amount_paise,
  date: dayInIndia(payment.paid_at),
  purpose,
  isHeld: returnedAs !== null,
  ...(quotedAheadFor !== undefined && { quotedAheadFor }),
})

/**
 * Adds the borrower's notice of a payment, and a review if the link has now received more than its
 * amount.
 */
async function announcePayment(
  sql: Sql,
  { loan }: OwnLoan,
  link: LinkRow,
  payment: ProviderPaymentRow,
  { paymentId, amountPaise, date }: PostedRepayment,
  countedPaise: bigint,
  now: Date,
): Promise<void> {
  const { borrower_id: borrowerId, lan } = loan
  const paymentLinkId = link.payment_link_id
  await addNotice(sql, { borrowerId, about: `payment:${paymentId}`, kind: 'payment_applied', lan, amountPaise, date, paymentLinkId }, now)
  if (countedPaise <= link.amount_paise) return
  const detail = {
    payment: payment.provider_payment_id,
    received_paise: String(countedPaise),
    expected_paise: String(link.amount_paise),
  }
  await addReview(sql, { ...reviewOwner(link), kind: 'amount_over', about: payment.provider_payment_id, detail }, now)
}
