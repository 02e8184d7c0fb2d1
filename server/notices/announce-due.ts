import { addDays, addMonths, dayInIndia, dayOfMonth, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { dueSoonDays, textDelayMs } from '#domain/notices.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { readFacts } from '../loans/facts-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { addNotice } from '../add-notice.ts'
import { findBorrowersDueOn, findLoansDueOn, saveDueSoonRun, lockDueSoonRun } from './notice-store.ts'

/**
 * Announces the instalments that fall due within three days, in batches of borrowers, each once:
 * the run of a due date stores its position, and a notice with the same event is ignored.
 *
 * @returns the number of borrowers whose loans were checked.
 */
export async function announceDue({ database, clock }: Context, borrowersPerBatch = 200): Promise<number> {
  const now = clock.now()
  const today = dayInIndia(now)
  // What is due by then is known better in the morning.
  if (textDelayMs('due_soon', now) > 0) return 0
  let checked = 0
  // The earlier days too: no worker may have run on the day on which it was time for them.
  for (let ahead = 1; ahead <= dueSoonDays; ahead++) checked += await announceDueOn(database, addDays(today, ahead), borrowersPerBatch, now)
  return checked
}

function announceDueOn(database: Context['database'], dueOn: Day, borrowersPerBatch: number, now: Date): Promise<number> {
  return database.asSystem(async (sql) => {
    const run = await lockDueSoonRun(sql, dueOn)
    if (!run) return 0
    const due = { dueOn, dueDays: findDueDays(dueOn) }
    const borrowerIds = await findBorrowersDueOn(sql, due, run.afterBorrowerId, borrowersPerBatch)
    const loans = await findLoansDueOn(sql, due, borrowerIds)
    for (const [borrowerId, own] of Map.groupBy(loans, (loan) => loan.borrower_id)) await announce(sql, borrowerId, own, dueOn, now)
    await saveDueSoonRun(sql, dueOn, borrowerIds.at(-1) ?? run.afterBorrowerId, borrowerIds.length === 0 ? now : null)
    return borrowerIds.length
  })
}

/**
 * The due days that fall on a date: the last day of a short month also counts as the missing days.
 */
export function findDueDays(day: Day): number[] {
  const number = dayOfMonth(day)
  return [number, 29, 30, 31].filter((due, index) => index === 0 || (due > number && addMonths(day, 0, due) === day))
}

async function announce(sql: Sql, borrowerId: string, loans: readonly LoanRow[], dueOn: Day, now: Date): Promise<void> {
  const facts = await readFacts(sql, borrowerId, loans)
  for (const loan of loans) {
    const known = facts.get(loan.loan_id)
    // As of its day: credit that pays it then, and a change of the rate before, are in its amount.
    const row = known && loanStateDuring(known, dueOn).rows.find(({ dueDate, status }) => dueDate === dueOn && status === 'Due')
    if (row && row.pendingPaise > 0n)
      await addNotice(
        sql,
        { borrowerId, about: `due:${loan.loan_id}:${dueOn}`, kind: 'due_soon', lan: loan.lan, amountPaise: row.pendingPaise, date: dueOn },
        now,
      )
  }
}
