import { dayInIndia, type Day } from '#domain/calendar.ts'
import { factsFault } from '#domain/loan-facts.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { Disbursal } from '#domain/loans.ts'
import { paiseToRupeesText } from '#domain/money.ts'
import { withDisbursal } from '#domain/tranches.ts'
import type { Sql } from '../database/connect.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { disburse } from '../loan-changes/disburse.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { addNotice } from '../add-notice.ts'
import { findTranches, readDisbursals, saveTranche, type TrancheRow } from './tranche-store.ts'

/**
 * The result of a lender's decision on a tranche. The caller of each function holds the loan's row
 * lock. `isNew` is false if the same decision was made before; then nothing changes.
 *
 * @throws LedgerRefusal with a message for the operator, if the tranche or the loan does not allow
 * the decision.
 */
export type Decision = { tranche: TrancheRow; isNew: boolean }

export async function approveTranche(transaction: LoanTransaction, partnerTrancheId: string): Promise<Decision> {
  const { sql, own, now } = transaction
  const tranche = await findTranche(sql, own, partnerTrancheId)
  if (tranche.stage === 'approved') return { tranche, isNew: false }
  if (tranche.stage !== 'requested')
    throw new LedgerRefusal(`Tranche ${partnerTrancheId} is ${tranche.stage} and cannot be approved`, 'tranche_decided')
  refuseClosed(own, dayInIndia(now))
  const paidOut = await findPaidOut(sql, own, partnerTrancheId)
  if (!paidOut) refuseFault(own, { date: tranche.disbursed_on, amountPaise: tranche.amount_paise }, tranche.disbursed_on)
  return saveDecision(transaction, { ...tranche, stage: 'approved' }, 'tranche_approved')
}

export async function rejectTranche(transaction: LoanTransaction, partnerTrancheId: string): Promise<Decision> {
  const tranche = await findTranche(transaction.sql, transaction.own, partnerTrancheId)
  if (tranche.stage === 'rejected') return { tranche, isNew: false }
  if (tranche.stage === 'released')
    throw new LedgerRefusal(`Tranche ${partnerTrancheId} was paid out and cannot be rejected`, 'tranche_decided')
  return saveDecision(transaction, { ...tranche, stage: 'rejected' }, 'tranche_rejected')
}

/**
 * Releases an approved tranche: the disbursal, its posting and the new schedule, in the caller's
 * transaction. An imported book can have the disbursal already.
 */
export async function releaseTranche(transaction: LoanTransaction, partnerTrancheId: string, date: Day): Promise<Decision> {
  const { sql, own, now } = transaction
  const tranche = await findTranche(sql, own, partnerTrancheId)
  if (tranche.stage === 'released') {
    if (tranche.disbursed_on !== date)
      throw new LedgerRefusal(`Tranche ${partnerTrancheId} was paid out on ${tranche.disbursed_on}`, 'tranche_decided')
    return { tranche, isNew: false }
  }
  if (tranche.stage !== 'approved')
    throw new LedgerRefusal(
      `Tranche ${partnerTrancheId} is ${tranche.stage}: only an approved tranche can be paid out`,
      'tranche_not_approved',
    )
  const today = dayInIndia(now)
  if (date > today)
    throw new LedgerRefusal(`The day ${date} is in the future: a tranche is released on the day it is paid out`, 'future_date')
  const paidOut = await findPaidOut(sql, own, partnerTrancheId)
  if (paidOut) refusePaidOut(tranche, paidOut, date)
  else {
    refuseClosed(own, today)
    refuseFault(own, { date, amountPaise: tranche.amount_paise }, today)
    await disburse(transaction, { date, amountPaise: tranche.amount_paise, reference: partnerTrancheId })
  }
  return saveDecision(transaction, { ...tranche, stage: 'released', disbursed_on: date }, 'tranche_released')
}

/** The disbursal of a tranche that `kist import` has paid out already. */
const findPaidOut = async (sql: Sql, { loan }: OwnLoan, partnerTrancheId: string): Promise<Disbursal | undefined> =>
  (await readDisbursals(sql, loan)).find((one) => one.partnerTrancheId === partnerTrancheId)

/** Refuses a release that differs from the disbursal that `kist import` has paid out already. */
function refusePaidOut(tranche: TrancheRow, paidOut: Disbursal, date: Day): void {
  const rupees = paiseToRupeesText(paidOut.amountPaise)
  const imported = `An imported disbursal paid out ${tranche.partner_tranche_id} on ${paidOut.date} with ₹${rupees}`
  if (paidOut.amountPaise !== tranche.amount_paise)
    throw new LedgerRefusal(`${imported}, but the tranche is of ₹${paiseToRupeesText(tranche.amount_paise)}`, 'tranche_imported_differs')
  if (paidOut.date !== date) throw new LedgerRefusal(`${imported}: enter that day`, 'tranche_imported_differs')
}

function refuseClosed({ loan, facts }: OwnLoan, today: Day): void {
  if (loanStateToPost(facts, today).status === 'CLOSED') throw new LedgerRefusal(`Loan ${loan.lan} is closed`, 'loan_closed')
}

/** Refuses a disbursal with which the loan could not be computed on a day. */
function refuseFault({ loan, facts }: OwnLoan, disbursal: Disbursal, day: Day): void {
  const fault = factsFault(withDisbursal(facts, disbursal), day)
  if (fault !== null) throw new LedgerRefusal(`The disbursal is not valid for loan ${loan.lan}: ${fault}`, 'facts_do_not_allow')
}

async function findTranche(sql: Sql, { loan }: OwnLoan, partnerTrancheId: string): Promise<TrancheRow> {
  const tranche = (await findTranches(sql, loan)).find(({ partner_tranche_id: id }) => id === partnerTrancheId)
  if (!tranche) throw new LedgerRefusal(`Loan ${loan.lan} has no requested tranche ${partnerTrancheId}`, 'tranche_unknown')
  return tranche
}

async function saveDecision(
  { sql, own, now, actorId }: LoanTransaction,
  decided: TrancheRow,
  kind: 'tranche_approved' | 'tranche_released' | 'tranche_rejected',
): Promise<Decision> {
  const { borrower_id: borrowerId, lan } = own.loan
  const tranche = { ...decided, changed_at: now }
  await saveTranche(sql, tranche, actorId)
  // A tranche that is approved, changed and approved again has two notices.
  const about = `${kind}:${tranche.tranche_id}:${now.getTime()}`
  await addNotice(sql, { borrowerId, about, kind, lan, amountPaise: tranche.amount_paise, date: tranche.disbursed_on }, now)
  return { tranche, isNew: true }
}
