import { uuidv7 } from 'uuidv7'
import { addDays, addMonths, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { Database } from '#server/database/connect.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { approveTranche, releaseTranche } from '#server/tranches/decide-tranche.ts'
import { addTrancheStep, insertTranche, type TrancheRow } from '#server/tranches/tranche-store.ts'
import { addLoan, addPerson, type AddedLoan } from './builders.ts'
import { demoPhone } from './demo-phone.ts'
import { payInstalments } from './paid-history.ts'

const paid = 20
/** Number of instalments before the second tranche was released. */
const paidBeforeSecond = 8

/**
 * Demo 01: a loan with two released tranches, an approved third one, and an amount that can still
 * be requested.
 */
export async function addTrancheBorrower(database: Database, now: Date, nextDue: Day): Promise<AddedLoan> {
  const borrowerId = await addPerson(database, now, {
    phone: demoPhone(1),
    firstName: 'Ananya',
    lastName: 'Deshpande',
    email: 'ananya.deshpande@example.in',
    emailVerified: true,
    pan: 'AKRPD7301A',
  })
  const firstDueDate = addMonths(nextDue, -paid, 5)
  const lan = 'KST-24-004173'
  const key = await addLoan(database, now, borrowerId, {
    lan,
    leadId: 'LEAD-004173',
    partnerLoanId: 'PL-004173',
    title: 'B.Tech, 2024 to 2028',
    sanctionedRupees: 800_000,
    disbursals: [{ date: addMonths(firstDueDate, -1, 5), rupees: 250_000 }],
    annualRatePercent: 11.25,
    instalments: 84,
    firstDueDate,
    dueDay: 5,
  })
  await payInstalments(database, key, paidBeforeSecond)
  const secondOn = addDays(addMonths(firstDueDate, paidBeforeSecond, 5), -17)
  await addTranche(database, key, {
    id: `${lan}-T2`,
    rupees: 200_000,
    askedOn: addDays(secondOn, -12),
    forDay: secondOn,
    releasedOn: secondOn,
  })
  await payInstalments(database, key, paid, paidBeforeSecond)
  const today = dayInIndia(now)
  await addTranche(database, key, {
    id: `${lan}-T3`,
    rupees: 150_000,
    askedOn: addDays(today, -6),
    forDay: addDays(today, 9),
    releasedOn: null,
  })
  return key
}

type Told = { id: string; rupees: number; askedOn: Day; forDay: Day; releasedOn: Day | null }

/**
 * Creates a past tranche by the portal's code: requested by the borrower and decided by the lender.
 */
async function addTranche(database: Database, key: AddedLoan, { id, rupees, askedOn, forDay, releasedOn }: Told): Promise<void> {
  const at = (day: Day, hour: number) => new Date(startOfDayInIndiaMs(day) + hour * 3_600_000)
  const { borrowerId, loanId } = key
  const tranche: TrancheRow = {
    borrower_id: borrowerId,
    loan_id: loanId,
    tranche_id: uuidv7(),
    partner_tranche_id: id,
    amount_paise: rupeesToPaise(rupees),
    stage: 'requested',
    disbursed_on: forDay,
    requested_at: at(askedOn, 11),
    requested_by: borrowerId,
    changed_at: at(askedOn, 11),
  }
  await database.asBorrower(borrowerId, async (sql) => {
    await insertTranche(sql, tranche)
    await addTrancheStep(sql, tranche, borrowerId)
    const own = await lockOwnLoan(sql, borrowerId, loanId)
    await approveTranche({ sql, own, now: at(addDays(askedOn, 2), 15), actorId: 'lender' }, id)
    if (releasedOn !== null) await releaseTranche({ sql, own, now: at(releasedOn, 12), actorId: 'lender' }, id, releasedOn)
  })
}
