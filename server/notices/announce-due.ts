import { addDays, addMonths, dayInIndia, dayOfMonth, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { dueSoonDays } from '#domain/notices.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { factsOf } from '../loans/facts-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { addNotice } from './add-notice.ts'
import { loansDueOn, saveDueSoonRun, takeDueSoonRun } from './notice-store.ts'

const borrowersAtOnce = 200
/** Nobody is woken by a message about money. */
const fromHour = 9
const toHour = 20

/**
 * Announces the instalments that fall due in three days, a few borrowers a turn, each once: the run remembers how far it came,
 * and a notice's occasion is told once even if it did not.
 *
 * @returns how many loans were looked at.
 */
export async function announceDue({ database, clock }: Context): Promise<number> {
  const now = clock.now()
  const today = dayInIndia(now)
  const hour = (now.getTime() - startOfDayInIndiaMs(today)) / 3_600_000
  if (hour < fromHour || hour >= toHour) return 0
  const dueOn = addDays(today, dueSoonDays)
  return database.asSystem(async (sql) => {
    const run = await takeDueSoonRun(sql, dueOn)
    if (!run) return 0
    const loans = await loansDueOn(sql, { dueOn, dueDays: dueDaysOf(dueOn) }, run.afterBorrowerId, borrowersAtOnce)
    for (const [borrowerId, own] of Map.groupBy(loans, (loan) => loan.borrower_id)) await announce(sql, borrowerId, own, today, dueOn, now)
    await saveDueSoonRun(sql, dueOn, loans.at(-1)?.borrower_id ?? run.afterBorrowerId, loans.length === 0 ? now : null)
    return loans.length
  })
}

/** The due days that fall on a day: in a short month its last day stands for those it lacks. */
function dueDaysOf(day: Day): number[] {
  const number = dayOfMonth(day)
  return [number, 29, 30, 31].filter((due, index) => index === 0 || (due > number && addMonths(day, 0, due) === day))
}

async function announce(sql: Sql, borrowerId: string, loans: readonly LoanRow[], today: Day, dueOn: Day, now: Date): Promise<void> {
  const facts = await factsOf(sql, borrowerId, loans)
  for (const loan of loans) {
    const known = facts.get(loan.loan_id)
    const row = known && loanStateDuring(known, today).rows.find(({ dueDate, status }) => dueDate === dueOn && status === 'Due')
    if (row && row.pendingPaise > 0n)
      await addNotice(
        sql,
        { borrowerId, about: `due:${loan.loan_id}:${dueOn}`, kind: 'due_soon', lan: loan.lan, amountPaise: row.pendingPaise, date: dueOn },
        now,
      )
  }
}
