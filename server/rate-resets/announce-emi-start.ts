import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { emiStartDays, emiStartNotice, findEmiStart } from '#domain/schedule.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { addNotices, type NewNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import { readFacts } from '../loans/facts-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { lockDailyRun, saveDailyRun } from '../notices/daily-run-store.ts'
import { findEmisStarting } from './emi-start-store.ts'

const runName = 'emi start'
/** The first EMI falls due at most so many days after the day by which the store finds its loan. */
const firstEmiAfterDays = 62
/** Or before that day, if the first due date is not on the due day. */
const firstEmiBeforeDays = 31

/**
 * Announces the first EMI 30 and 7 days before, once a day, in chunks of borrowers: the run of the
 * day stores its position, and a notice of the same event is ignored.
 *
 * @returns the number of loans looked at.
 */
export async function announceEmiStart({ database, clock }: Pick<Context, 'database' | 'clock'>, loansPerBatch = 500): Promise<number> {
  const now = clock.now()
  const today = dayInIndia(now)
  return database.asSystem(async (sql) => {
    const run = await lockDailyRun(sql, runName, today)
    if (!run) return 0
    const starting = { from: addDays(today, -firstEmiAfterDays), to: addDays(today, Math.max(...emiStartDays) + firstEmiBeforeDays) }
    const found = await findEmisStarting(sql, starting, run.afterBorrowerId, loansPerBatch)
    const isLast = found.length < loansPerBatch
    const loans = isLast ? found : withoutLastBorrower(found)
    const facts = await readFacts(sql, loans)
    await addNotices(
      sql,
      loans.flatMap((loan) => {
        const own = facts.get(loan.loan_id)
        return own ? (noticeOf(loan, findEmiStart(own, loanStateDuring(own, today), today), today) ?? []) : []
      }),
      now,
    )
    await saveDailyRun(sql, runName, today, loans.at(-1)?.borrower_id ?? run.afterBorrowerId, isLast ? now : null)
    return loans.length
  })
}

/** The position is a borrower: one whose loans the limit cut off comes again with all of them. */
function withoutLastBorrower(found: readonly LoanRow[]): readonly LoanRow[] {
  const last = found.at(-1)?.borrower_id
  const whole = found.filter(({ borrower_id }) => borrower_id !== last)
  return whole.length > 0 ? whole : found
}

function noticeOf(
  { borrower_id, loan_id, lan }: { borrower_id: string; loan_id: string; lan: string },
  start: ReturnType<typeof findEmiStart>,
  today: Day,
): NewNotice | null {
  const days = start && emiStartNotice(today, start.firstEmi.dueDate)
  if (!start || days === null) return null
  return {
    borrowerId: borrower_id,
    about: `emi_start:${loan_id}:${start.firstEmi.dueDate}:${days}`,
    kind: 'emi_start',
    lan,
    amountPaise: start.firstEmi.repaymentAmountPaise,
    date: start.firstEmi.dueDate,
  }
}
