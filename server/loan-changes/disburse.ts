import { uuidv7 } from 'uuidv7'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { disbursalRecordedOn, withDisbursal } from '#domain/tranches.ts'
import type { Paise } from '#domain/money.ts'
import { storeApr } from '../loans/apr-store.ts'
import { insertDisbursal } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { reconcileLedgerToFacts, appendLines } from '../ledger/reconcile-ledger.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { line } from '../ledger/lines.ts'
import type { LoanTransaction } from './change-loan.ts'
import { refuseShortRefund } from './refuse-short-refund.ts'

type NewDisbursal = { date: Day; amountPaise: Paise; reference: string | null }

/** Why a loan was not paid out on a day; null if it can have been. */
export const findDisbursalDayFault = ({ sanctioned_on: sanctionedOn }: Pick<OwnLoan['loan'], 'sanctioned_on'>, date: Day): string | null =>
  date < sanctionedOn ? `${date} is before ${sanctionedOn}, when the loan was sanctioned` : null

/**
 * Records a disbursal: writes the fact and its ledger transaction, and adjusts later postings. The
 * caller holds the loan's row lock and has checked that the loan allows the disbursal.
 *
 * @returns the loan with the disbursal in its facts.
 * @throws LedgerRefusal if the day is before the sanction.
 */
export async function disburse(
  { sql, own, now, actorId }: LoanTransaction,
  { date, amountPaise, reference }: NewDisbursal,
): Promise<OwnLoan> {
  const { loan, facts } = own
  const dayFault = findDisbursalDayFault(loan, date)
  if (dayFault !== null) throw new LedgerRefusal(`Loan ${loan.lan} does not allow the disbursal: ${dayFault}`, 'day_before_sanction')
  const disbursalId = uuidv7()
  const disbursal = disbursalRecordedOn(facts, date, amountPaise, dayInIndia(now))
  await insertDisbursal(sql, loan, { disbursalId, ...disbursal, reference })
  const lines = [line('principal', -amountPaise), line('disbursal_bank', amountPaise)]
  await appendLines(sql, own, lines, { kind: 'disbursal', source: 'disbursal', source_id: disbursalId, value_date: date }, now, actorId)
  const changedFacts = withDisbursal(facts, disbursal)
  const changed = { ...own, loan: await storeApr(sql, loan, changedFacts), facts: changedFacts }
  refuseShortRefund(facts, changed.facts, now)
  await reconcileLedgerToFacts(sql, changed, now, actorId)
  return changed
}
