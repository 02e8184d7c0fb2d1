import { addDays, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { creditCheckDay } from '#domain/credit-check.ts'
import { amountToCloseOn } from '#domain/foreclosure-waive.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { minRefundPaise } from '#domain/refunds.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { claimDueFollowUps, removeFollowUp, saveFollowUp, type FollowUpRow } from '../../ledger/follow-up-store.ts'
import { openLinkOf } from '../../ledger/open-links-store.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { addNotice } from '../../notices/add-notice.ts'
import { requestRefund } from '../refunds/request-refund.ts'
import { paymentsOfLoan } from '../payment-store.ts'
import { refundPartsOf } from '../refunds/refund-parts.ts'
import { addReview } from '../review-store.ts'

const loansAtOnce = 20
/** Where an open payment link is in the way, the loan is looked at again after this time. */
const linkWaitMs = 300_000
const retryMs = { first: 60_000, most: 6 * 3_600_000 }
/** A person has so many days to settle credit that no rule can send back. */
const creditDueDays = 7

const backOffMs = ({ attempts }: FollowUpRow): number => Math.min(retryMs.first * 2 ** Math.min(attempts, 20), retryMs.most)

/**
 * Looks at every loan whose time has come: puts foreclosures that fell short on the review list and tells the borrower (decision 54), and
 * sends credit of closed loans back (decision 55).
 *
 * @returns how many loans were looked at.
 */
export async function followUpLoans(context: MoneyContext): Promise<number> {
  const due = await context.database.asSystem((sql) => claimDueFollowUps(sql, context.clock.now(), loansAtOnce, backOffMs))
  for (const row of due)
    await followUpLoan(context, row).catch((error: unknown) =>
      context.log.error({ err: error, loan: row.loan_id }, 'a loan could not be followed up'),
    )
  return due.length
}

function followUpLoan({ database, clock, jobs }: MoneyContext, { borrower_id, loan_id }: FollowUpRow): Promise<void> {
  return database.asBorrower(borrower_id, async (sql) => {
    const own = await lockOwnLoan(sql, borrower_id, loan_id)
    const now = clock.now()
    const today = dayInIndia(now)
    const state = loanStateDuring(own.facts, today)
    if (state.status !== 'CLOSED') await tellShortForeclosures(sql, own, state, now)
    const nextDay = creditCheckDay(state, today)
    if (nextDay === null) return removeFollowUp(sql, own.loan)
    if (nextDay > today) return saveFollowUp(sql, own.loan, new Date(startOfDayInIndiaMs(nextDay)))
    if (await openLinkOf(sql, borrower_id, loan_id)) return saveFollowUp(sql, own.loan, new Date(now.getTime() + linkWaitMs))
    await returnCredit(sql, jobs, own, state, now)
    return removeFollowUp(sql, own.loan)
  })
}

async function tellShortForeclosures(sql: Sql, { loan, facts }: OwnLoan, state: LoanState, now: Date): Promise<void> {
  if (state.shortForeclosures.length === 0) return
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const today = dayInIndia(now)
  const payments = await paymentsOfLoan(sql, borrowerId, loanId)
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
        { borrowerId, about: `foreclosure_short:${paymentId}`, kind: 'foreclosure_short', lan, amountPaise, date: today },
        now,
      )
  }
}

/** What the provider can carry goes back; the rest is for a person, by a day. The caller holds the loan's row lock. */
async function returnCredit(sql: Sql, jobs: MoneyContext['jobs'], own: OwnLoan, { creditPaise }: LoanState, now: Date): Promise<void> {
  const { loan } = own
  const { parts, leftPaise } = await refundPartsOf(sql, own, creditPaise, now)
  for (const { payment, amountPaise } of parts)
    await requestRefund(
      sql,
      jobs,
      { loan, payment, amountPaise, reason: 'excess', askedBy: 'system', note: 'credit of a closed loan' },
      now,
    )
  if (leftPaise === 0n) return
  const dueOn: Day = addDays(dayInIndia(now), creditDueDays)
  await addReview(
    sql,
    {
      borrowerId: loan.borrower_id,
      loanId: loan.loan_id,
      kind: 'credit_on_closed_loan',
      about: `${loan.loan_id}:${leftPaise}`,
      detail: { credit_paise: String(leftPaise), why: leftPaise < minRefundPaise ? 'below_one_rupee' : 'not_returnable_by_provider' },
      dueOn,
    },
    now,
  )
}
