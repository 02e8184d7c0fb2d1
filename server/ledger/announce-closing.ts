import { addDays, dayInIndia } from '#domain/calendar.ts'
import { findClosingDay } from '#domain/loan-closing.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { addNotice } from '../add-notice.ts'
import type { Sql } from '../database/connect.ts'
import type { OwnLoan } from '../loans/own-loan.ts'

/**
 * Tells the borrower that the loan is closed, once for each day on which it was: money or a waiver
 * has closed it now, or time has, when credit paid its last instalment.
 *
 * @param isPosted whether the ledger has changed.
 */
export async function announceClosing(sql: Sql, own: OwnLoan, state: LoanState, isPosted: boolean, now: Date): Promise<void> {
  const { loan, facts, factsBefore } = own
  const date = findClosingDay(facts, state)
  if (date === null) return
  const today = dayInIndia(now)
  const isByTime = facts === factsBefore && isPosted
  // Credit that paid the last instalment today may not be posted yet.
  if (!isByTime && loanStateDuring(factsBefore, date === today ? addDays(today, -1) : today).status === 'CLOSED') return
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  await addNotice(sql, { borrowerId, about: `closed:${loanId}:${date}`, kind: 'loan_closed', lan, date }, now)
}
