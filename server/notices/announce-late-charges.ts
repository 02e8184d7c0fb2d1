import { addDays, dayInIndia, findDueDays, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { lateChargeDueDate, sumPaidByCharge, sumWaivedBy, type LoanFacts } from '#domain/loans.ts'
import { textDelayMs } from '#domain/notices.ts'
import { addNotices, type NewNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import { readFacts } from '../loans/facts-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { findFirstRunDay, findNextRunDay, lockDailyRun, saveDailyRun } from './daily-run-store.ts'
import { findBorrowersLateOn, findLateChargeGraces, findLoansOfBorrowers } from './late-charge-store.ts'

const runName = 'late charges'

/**
 * Tells borrowers of each late charge and its reason (RBI, 18 Aug 2023), in batches of borrowers,
 * each charge once: the run of a day stores its position, and a notice of the same charge is
 * ignored. Days on which no worker ran come first. The first run of all is that of its own day.
 *
 * @returns the number of borrowers whose loans were checked.
 */
export async function announceLateCharges({ database, clock, config }: Context, borrowersPerBatch = 200): Promise<number> {
  const now = clock.now()
  const today = dayInIndia(now)
  // Which instalment was paid in time is known better in the morning.
  if (textDelayMs('late_charge', now) > 0) return 0
  return database.asSystem(async (sql) => {
    const day = await findNextRunDay(sql, runName, today)
    if (day === null) return 0
    const run = await lockDailyRun(sql, runName, day)
    if (!run) return 0
    const dueDates = (await findLateChargeGraces(sql)).map((graceDays) => addDays(day, -graceDays - 1))
    const due = dueDates.map((dueOn) => ({ dueOn, dueDays: findDueDays(dueOn) }))
    const { borrowerIds, afterTaking } = await findBorrowersLateOn(sql, day, due, run.afterBorrowerId, borrowersPerBatch)
    const loans = await findLoansOfBorrowers(sql, borrowerIds)
    if (loans.length > 0) {
      const facts = await readFacts(sql, loans)
      const days = {
        day,
        today,
        firstRunDay: await findFirstRunDay(sql, runName),
        noticesSince: addDays(today, 1 - config.retention.noticeDays),
      }
      const notices = loans.flatMap((loan) => noticesOf(loan, facts.get(loan.loan_id), days, afterTaking.has(loan.borrower_id)))
      await addNotices(sql, notices, now)
    }
    await saveDailyRun(sql, runName, day, borrowerIds.at(-1) ?? run.afterBorrowerId, borrowerIds.length === 0 ? now : null)
    return borrowerIds.length
  })
}

/** `noticesSince`: no notice of a charge of this day or later is deleted yet. */
type Days = { day: Day; today: Day; firstRunDay: Day; noticesSince: Day }

/**
 * A charge that is paid in part is stored, and derived no more. After money was taken back, charges
 * of earlier days can be new; those that were announced before are ignored. One counts as old if
 * its notice may have been deleted since, or if it is paid and of before the first run or the
 * import of the loan.
 */
function noticesOf(
  { borrower_id: borrowerId, loan_id, lan, created_at }: LoanRow,
  facts: LoanFacts | undefined,
  { day, today, firstRunDay, noticesSince }: Days,
  isAfterTaking: boolean,
): NewNotice[] {
  if (!facts) return []
  const state = loanStateDuring(facts, today)
  const paid = sumPaidByCharge(state)
  return [...facts.charges, ...state.derivedCharges].flatMap(({ chargeId, date, amountPaise, waivedOn }) => {
    const dueOn = lateChargeDueDate(chargeId)
    const isPaidBefore = (date < firstRunDay || date < dayInIndia(created_at)) && paid.get(chargeId) === amountPaise
    const isOld = date < noticesSince || isPaidBefore
    const isOfRun = date === day || (isAfterTaking && date < day && !isOld)
    // Also by the loan itself, if the borrower paid by the quote of the evening before.
    const isWaived = waivedOn !== null || sumWaivedBy(state, chargeId) === amountPaise
    if (dueOn === null || !isOfRun || isWaived || state.voidCharges.includes(chargeId)) return []
    return { borrowerId, about: `late:${loan_id}:${chargeId}`, kind: 'late_charge' as const, lan, amountPaise, date: dueOn }
  })
}
