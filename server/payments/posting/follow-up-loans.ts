import { addDays, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { creditCheckDay } from '#domain/credit-check.ts'
import { hourMs } from '#domain/durations.ts'
import { amountToCloseOn } from '#domain/foreclosure-waive.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { sumPaise } from '#domain/money.ts'
import { minimumRefundPaise } from '#domain/refunds.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { backOffMs } from '../../jobs/back-off.ts'
import { collectFailures } from '../../jobs/collect-failures.ts'
import { claimFollowUps, removeFollowUp, saveFollowUp, selectDueFollowUps, type FollowUpRow } from '../../ledger/follow-up-store.ts'
import { findOpenLink } from '../../ledger/open-links-store.ts'
import { reconcileLedgerToFacts } from '../../ledger/reconcile-ledger.ts'
import { changeLoanInTransaction, type LoanTransaction } from '../../loan-changes/change-loan.ts'
import { nameCreditReview } from '../../loans/credit-review.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { addNotice } from '../../add-notice.ts'
import { requestCreditRefunds } from '../refunds/request-refund.ts'
import { listLoanPayments } from '../provider-payment-store.ts'
import { findPaymentLinkId } from '../links/link-store.ts'
import { listLoanRefunds } from '../refund-store.ts'
import { planRefundParts } from '../refunds/refund-parts.ts'
import { addReview, closeReviews } from '../review-store.ts'

const loansPerBatch = 20
/** The wait before the next check while a payment link is open or a refund is not sent yet. */
const waitMs = 300_000
const backOff = { firstMs: 60_000, maxMs: 6 * hourMs }
/** The days that staff have to settle credit that cannot be refunded automatically. */
const creditDueDays = 7

/** The process that refunds credit of closed loans, for the ledger and the access log. */
const followUpActor = { actorId: 'system', name: 'loan follow-up', reason: 'credit of a closed loan' } as const

/**
 * Checks the loans that are due: posts what a due date brought about, adds reviews and notices for
 * short foreclosures (decision 54), reviews for credit that was refunded before its money was taken
 * back, and refunds the credit of closed loans (decision 55).
 *
 * @returns the number of loans checked.
 * @throws Error if some could not be checked. The others were, and these are due again later.
 */
export async function followUpLoans(context: MoneyContext): Promise<number> {
  const { database, clock } = context
  const now = clock.now()
  const found = await database.findAvailable(loansPerBatch, (sql) => selectDueFollowUps(sql, now, loansPerBatch))
  if (found.length === 0) return 0
  const due = await database.asSystem((sql) => claimFollowUps(sql, found, now, ({ attempts }) => backOffMs(attempts, backOff)))
  const failures = collectFailures()
  for (const row of due)
    await followUpLoan(context, row).catch((error: unknown) => {
      failures.add(error)
      context.log.error({ err: error, loan: row.loan_id }, 'loan follow-up failed')
    })
  failures.throwIfAny(due.length, 'loans could not be checked')
  return due.length
}

async function followUpLoan({ database, clock, jobs }: MoneyContext, { borrower_id, loan_id }: FollowUpRow): Promise<void> {
  await database.asBorrower(borrower_id, async (sql) => {
    const own = await lockOwnLoan(sql, borrower_id, loan_id)
    const now = clock.now()
    const today = dayInIndia(now)
    const state = loanStateToPost(own.facts, today)
    await reconcileLedgerToFacts(sql, own, now, followUpActor.actorId)
    if (state.status !== 'CLOSED') await reportShortForeclosures(sql, own, state, now)
    const isReported = await reportShortRefund(sql, own, state, now)
    if (!isReported) return saveFollowUp(sql, own.loan, new Date(now.getTime() + waitMs))
    const nextDay = creditCheckDay(state, today)
    if (nextDay === null) return removeFollowUp(sql, own.loan)
    if (nextDay > today) return saveFollowUp(sql, own.loan, new Date(startOfDayInIndiaMs(nextDay)))
    if (await findOpenLink(sql, borrower_id, loan_id)) return saveFollowUp(sql, own.loan, new Date(now.getTime() + waitMs))
    await refundCreditOfClosedLoan(sql, jobs, own, now)
    return removeFollowUp(sql, own.loan)
  })
}

async function reportShortForeclosures(sql: Sql, { loan, facts }: OwnLoan, state: LoanState, now: Date): Promise<void> {
  if (state.shortForeclosures.length === 0) return
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const today = dayInIndia(now)
  const payments = await listLoanPayments(sql, borrowerId, loanId)
  for (const { paymentId, date, shortPaise } of state.shortForeclosures) {
    const amountPaise = amountToCloseOn(facts, today)
    const link = payments.find(({ transaction_id }) => transaction_id === paymentId)?.payment_intent_id
    const isNew = await addReview(
      sql,
      {
        borrowerId,
        loanId,
        ...(link !== undefined && { paymentIntentId: link }),
        kind: 'foreclosure_short',
        about: paymentId,
        detail: { value_date: date, short_paise: String(shortPaise), still_to_pay_paise: String(amountPaise) },
      },
      now,
    )
    if (isNew)
      await addNotice(
        sql,
        {
          borrowerId,
          about: `foreclosure_short:${paymentId}`,
          kind: 'foreclosure_short',
          lan,
          amountPaise,
          date: today,
          paymentLinkId: link === undefined ? null : await findPaymentLinkId(sql, { borrowerId, paymentIntentId: link }),
        },
        now,
      )
  }
}

/**
 * Credit was refunded, and the bank has since taken back the money that it was part of.
 *
 * @returns false while it is open whether a refund leaves, which the review has to say.
 */
async function reportShortRefund(sql: Sql, { loan }: OwnLoan, { refundShortPaise }: LoanState, now: Date): Promise<boolean> {
  if (refundShortPaise === 0n) return true
  const { borrower_id: borrowerId, loan_id: loanId } = loan
  const refunds = (await listLoanRefunds(sql, borrowerId, loanId)).filter(({ reason }) => reason === 'excess')
  if (refunds.some(({ status }) => status === 'asked')) return false
  const about = `${loanId}:${refundShortPaise}`
  const isOther = (subject: string) => subject.startsWith(`${loanId}:`) && subject !== about
  await closeReviews(sql, { borrowerId, kind: 'refund_short' }, isOther, 'another amount is missing now', now)
  const unsentPaise = sumPaise(refunds.filter(({ status }) => status === 'failed').map(({ amount_paise }) => amount_paise))
  const detail = { short_paise: String(refundShortPaise), ...(unsentPaise > 0n && { unsent_paise: String(unsentPaise) }) }
  await addReview(sql, { borrowerId, loanId, kind: 'refund_short', about, detail }, now)
  return true
}

/**
 * Refunds the credit of a closed loan through the provider, and adds a review with a due date for
 * the rest. The caller holds the loan's row lock.
 */
async function refundCreditOfClosedLoan(sql: Sql, jobs: MoneyContext['jobs'], { loan, facts }: OwnLoan, now: Date): Promise<void> {
  const { borrower_id: borrowerId, loan_id: loanId } = loan
  const change = { borrowerId, loanId, actor: followUpActor, whileLinkOpen: 'refuse' } as const
  const write = async ({ own, actorId }: LoanTransaction) => {
    const { creditPaise } = loanStateToPost(own.facts, dayInIndia(now))
    const { parts, leftPaise, isMoneyGone } = await planRefundParts(sql, own, creditPaise, now)
    const refundIds = await requestCreditRefunds(sql, jobs, parts, { loan, askedBy: actorId, note: followUpActor.reason }, now)
    const detail = { amount_paise: String(creditPaise - leftPaise), refunds: refundIds.join(' ') }
    return { answer: { leftPaise, isMoneyGone }, log: refundIds.length === 0 ? null : { action: 'credit_refunded' as const, detail } }
  }
  const {
    answer: { leftPaise, isMoneyGone },
  } = await changeLoanInTransaction(sql, { ...change, write }, now)
  if (leftPaise === 0n) return
  const about = nameCreditReview(loanId, leftPaise, facts)
  const isOther = (subject: string) => subject.startsWith(`${loanId}:`) && subject !== about
  await closeReviews(sql, { borrowerId, kind: 'credit_on_closed_loan' }, isOther, 'replaced by a review of the present credit', now)
  const notReturnable = leftPaise < minimumRefundPaise ? 'below_one_rupee' : 'not_returnable_by_provider'
  const dueOn: Day = addDays(dayInIndia(now), creditDueDays)
  await addReview(
    sql,
    {
      borrowerId,
      loanId,
      kind: 'credit_on_closed_loan',
      about,
      detail: { credit_paise: String(leftPaise), why: isMoneyGone ? 'bank_took_money' : notReturnable },
      dueOn,
    },
    now,
  )
}
