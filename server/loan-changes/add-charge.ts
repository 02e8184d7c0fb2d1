import { dayInIndia } from '#domain/calendar.ts'
import { factsFault } from '#domain/loan-facts.ts'
import type { Charge } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import { insertCharge } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { LedgerConflict, LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { refuseShortRefund } from './refuse-short-refund.ts'

export type NewCharge = Omit<Charge, 'waivedOn'>

/**
 * Raises charges, such as a fee and the tax on it, on one loan. Known by their ids: the same again changes nothing. A charge
 * dated before a payment takes its turn among what that payment settled. The caller holds the loan's row lock.
 *
 * @returns whether anything is new.
 * @throws LedgerRefusal where they cannot be charges of this loan.
 * @throws LedgerConflict when an id stands for another charge.
 */
export async function addCharges(sql: Sql, own: OwnLoan, charges: readonly NewCharge[], now: Date, actorId: string): Promise<boolean> {
  const { loan, facts } = own
  const added: Charge[] = []
  for (const charge of charges) {
    const known = facts.charges.find(({ chargeId }) => chargeId === charge.chargeId)
    if (known === undefined) added.push({ ...charge, waivedOn: null })
    else if (!isSameCharge(known, charge))
      throw new LedgerConflict(`Charge ${charge.chargeId} was added before with another type, date or amount`)
  }
  if (added.length === 0) return false
  const today = dayInIndia(now)
  if (added.some(({ date }) => date > today)) throw new LedgerRefusal('A charge cannot be dated ahead')
  const changed = { ...facts, charges: [...facts.charges, ...added].toSorted(byDateThenId) }
  const fault = factsFault(changed, today)
  if (fault !== null) throw new LedgerRefusal(`Loan ${loan.lan} cannot take it: ${fault}`)
  refuseShortRefund(changed, now)
  for (const charge of added) await insertCharge(sql, loan, charge)
  await reconcileLedgerToFacts(sql, { loan, facts: changed }, now, actorId)
  return true
}

const isSameCharge = (known: Charge, { chargeType, date, amountPaise, penal }: NewCharge): boolean =>
  known.chargeType === chargeType && known.date === date && known.amountPaise === amountPaise && known.penal === penal

/** The order in which the facts have charges. */
export const byDateThenId = (left: Charge, right: Charge): number =>
  `${left.date} ${left.chargeId}` < `${right.date} ${right.chargeId}` ? -1 : 1
