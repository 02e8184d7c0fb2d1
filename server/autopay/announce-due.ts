import type { AutopayRules } from '#domain/autopay.ts'
import { addDays, dayInIndia, findDueDays, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { dueSoonDays, textDelayMs } from '#domain/notices.ts'
import { addNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { decodeDebitParts, readFacts } from '../loans/facts-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { lockDailyRun, saveDailyRun } from '../notices/daily-run-store.ts'
import { findBorrowersDueOn, findLoansDueOn } from '../notices/notice-store.ts'
import { findDebitsDueOn, type DebitDueOn } from './collection-store.ts'
import { expectDebit, paysOwnInstalment } from './decide-debit.ts'
import { mandateCap } from './mandate-store.ts'

/** Its day is the due date. */
const runName = 'due soon'

/**
 * Announces the instalments that fall due within three days, in batches of borrowers, each once:
 * the run of a due date stores its position, and a notice with the same event is ignored. What
 * autopay debits is announced by autopay, with the amount and the day.
 *
 * @returns the number of borrowers whose loans were checked.
 */
export async function announceDue(context: Pick<Context, 'config' | 'database' | 'clock'>, borrowersPerBatch = 200): Promise<number> {
  const now = context.clock.now()
  const today = dayInIndia(now)
  // What is due by then is known better in the morning.
  if (textDelayMs('due_soon', now) > 0) return 0
  let checked = 0
  // The earlier days too: no worker may have run on the day on which it was time for them.
  for (let ahead = 1; ahead <= dueSoonDays; ahead++) checked += await announceDueOn(context, addDays(today, ahead), borrowersPerBatch, now)
  return checked
}

function announceDueOn(
  { config, database }: Pick<Context, 'config' | 'database'>,
  dueOn: Day,
  borrowersPerBatch: number,
  now: Date,
): Promise<number> {
  return database.asSystem(async (sql) => {
    const run = await lockDailyRun(sql, runName, dueOn)
    if (!run) return 0
    const due = { dueOn, dueDays: findDueDays(dueOn) }
    const borrowerIds = await findBorrowersDueOn(sql, due, run.afterBorrowerId, borrowersPerBatch)
    const loans = await findLoansDueOn(sql, due, borrowerIds)
    const debits = Map.groupBy(await findDebitsDueOn(sql, dueOn, borrowerIds), ({ loan_id }) => loan_id)
    const known = await readFacts(sql, loans)
    for (const loan of loans) {
      const facts = known.get(loan.loan_id)
      const isDebited = (debit: DebitDueOn) => facts && paysInstalment(debit, facts, config.autopay.rules, now)
      if (facts && !debits.get(loan.loan_id)?.some(isDebited)) await addDueSoon(sql, { loan, facts }, dueOn, now)
    }
    await saveDailyRun(sql, runName, dueOn, borrowerIds.at(-1) ?? run.afterBorrowerId, borrowerIds.length === 0 ? now : null)
    return borrowerIds.length
  })
}

/** The parts of a planned debit are computed again, because the stored ones may be outdated. */
function paysInstalment(debit: DebitDueOn, facts: LoanFacts, rules: AutopayRules, now: Date): boolean {
  if (debit.status !== 'planned') return paysOwnInstalment(debit, decodeDebitParts(debit.parts))
  const decision = expectDebit({ own: { facts }, row: debit }, dayInIndia(now), mandateCap(debit, rules))
  return decision.kind === 'debit' && paysOwnInstalment(debit, decision.parts)
}

/** Announces an instalment, once, if something of it will be due on its day. */
export async function addDueSoon(sql: Sql, { loan, facts }: { loan: LoanRow; facts: LoanFacts }, dueOn: Day, now: Date): Promise<void> {
  // As of its day: credit that pays it then, and a change of the rate before, are in its amount.
  const row = loanStateDuring(facts, dueOn).rows.find(({ dueDate, status }) => dueDate === dueOn && status === 'Due')
  if (!row || row.pendingPaise === 0n) return
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  await addNotice(
    sql,
    { borrowerId, about: `due:${loanId}:${dueOn}`, kind: 'due_soon', lan, amountPaise: row.pendingPaise, date: dueOn },
    now,
  )
}
