import { dayInIndia } from '#domain/calendar.ts'
import { prepaymentTaxIdOf } from '#domain/foreclosure.ts'
import { findClosingDay } from '#domain/loan-closing.ts'
import { factsFault } from '#domain/loan-facts.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { lateChargeType, type Charge, type LoanState, type RatePpb, type ScheduleRow } from '#domain/loans.ts'
import { paise, shareHalfEven, sumPaise } from '#domain/money.ts'
import { wholePpb } from '#domain/rates.ts'
import { addNotice } from '../add-notice.ts'
import type { Sql } from '../database/connect.ts'
import { Failure } from '../http/failure.ts'
import { insertCharge } from '../loans/loan-store.ts'
import { findProductTerms } from '../loans/product-store.ts'
import { findChargeFault, isDisclosedCharge } from '../loans/product-terms.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import type { LoanTransaction } from './change-loan.ts'
import { refuseShortRefund } from './refuse-short-refund.ts'

export type NewCharge = Omit<Charge, 'waivedOn'>

/**
 * Adds charges to one loan, such as a fee and its tax. Charges are identified by their ids; adding
 * one again changes nothing. If a charge is dated before a payment, the payment is reallocated. The
 * borrower gets one notice of what is new. The caller holds the loan's row lock.
 *
 * @returns true if at least one charge is new.
 * @throws LedgerRefusal if the loan's facts do not allow the charges, an id belongs to a different
 * charge, or the loan was closed on the day of a charge or later: the payment that closed it would
 * fall short; or payments since the day of a charge would no longer pay what they had paid.
 */
export async function addCharges({ sql, own, now, actorId }: LoanTransaction, charges: readonly NewCharge[]): Promise<boolean> {
  const { loan, facts } = own
  const added: Charge[] = []
  for (const charge of charges) {
    const known = facts.charges.find(({ chargeId }) => chargeId === charge.chargeId)
    if (known === undefined) added.push({ ...charge, waivedOn: null })
    else if (!isSameCharge(known, charge))
      throw new LedgerRefusal(`Charge ${charge.chargeId} was added before with another type, date or amount`)
  }
  if (added.length === 0) return false
  // The ledger counts repeated postings of a key by such an ending.
  if (added.some(({ chargeId }) => /#\d+$/.test(chargeId))) throw new LedgerRefusal('A charge reference cannot end with # and digits')
  const today = dayInIndia(now)
  if (added.some(({ date }) => date > today)) throw new LedgerRefusal('A charge cannot have a future date', 'future_date')
  // The first disbursal would come after the charge, and be refused for that.
  if (facts.disbursals.length === 0)
    throw new LedgerRefusal(`Loan ${loan.lan} does not allow the charge: nothing is disbursed yet`, 'facts_do_not_allow')
  const before = loanStateDuring(facts, today)
  const closedOn = findClosingDay(facts, before)
  if (closedOn !== null && added.some(({ date }) => date <= closedOn))
    throw new LedgerRefusal(`Loan ${loan.lan} was closed on ${closedOn}: a charge must be of a later day`, 'charge_before_closing')
  const changed = { ...facts, charges: [...facts.charges, ...added].toSorted(byDateThenId) }
  const fault = factsFault(changed, today)
  if (fault !== null) throw new LedgerRefusal(`Loan ${loan.lan} does not allow the charge: ${fault}`, 'facts_do_not_allow')
  const after = loanStateDuring(changed, today)
  if (after.shortForeclosures.length > before.shortForeclosures.length)
    throw new LedgerRefusal(
      `A payment has closed loan ${loan.lan} since the day of the charge: it must be of a later day`,
      'charge_before_closing',
    )
  if (added.some(({ date }) => date < today) && changesWhatWasPaid(before, after))
    throw new LedgerRefusal(
      `Payments since the day of the charge would no longer pay what they had paid of loan ${loan.lan}: the charge needs a later day`,
      'charge_before_payments',
    )
  refuseShortRefund(facts, changed, now)
  for (const charge of added) await insertCharge(sql, loan, charge)
  await reconcileLedgerToFacts(sql, { ...own, facts: changed }, now, actorId)
  await addChargeNotice(sql, own, added, now)
  return true
}

/**
 * What was paid as it was billed, also ahead, is neither billed again nor late (decision 25), and a
 * part payment repays what its payer was told.
 */
function changesWhatWasPaid(before: LoanState, after: LoanState): boolean {
  const rows = new Map(after.rows.map((row) => [row.dueDate, row]))
  const isStillPaid = ({ dueDate, repaymentAmountPaise }: ScheduleRow): boolean => {
    const row = rows.get(dueDate)
    return row?.status === 'Paid' && row.repaymentAmountPaise === repaymentAmountPaise
  }
  // A row that bills nothing counts as paid too.
  const paid = before.rows.filter((row) => row.status === 'Paid' && row.paidPrincipalPaise + row.paidInterestPaise > 0n)
  const partsAfter = principalPaidInParts(after)
  const takesFromParts = [...principalPaidInParts(before)].some(([paymentId, paidPaise]) => (partsAfter.get(paymentId) ?? 0n) < paidPaise)
  return after.derivedCharges.length > before.derivedCharges.length || takesFromParts || !paid.every(isStillPaid)
}

/** What each payment repaid of the principal beside the instalments. */
const principalPaidInParts = ({ allocations }: LoanState): Map<string, bigint> =>
  new Map(
    allocations.map(({ paymentId, lines }) => {
      const parts = lines.filter(({ component, instalmentNumber }) => component === 'principal' && instalmentNumber === null)
      return [paymentId, sumPaise(parts.map(({ amountPaise }) => amountPaise))]
    }),
  )

async function addChargeNotice(sql: Sql, { loan }: OwnLoan, added: readonly Charge[], now: Date): Promise<void> {
  const [{ chargeId, date }] = added as [Charge]
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const amountPaise = sumPaise(added.map((charge) => charge.amountPaise))
  await addNotice(sql, { borrowerId, about: `added:${loanId}:${chargeId}`, kind: 'charge_added', lan, amountPaise, date }, now)
}

const isSameCharge = (known: Charge, { chargeType, date, amountPaise, penal }: NewCharge): boolean =>
  known.chargeType === chargeType && known.date === date && known.amountPaise === amountPaise && known.penal === penal

/**
 * Whether the product lists the charge. Only listed charges may be raised (india.md R2).
 *
 * @throws LedgerRefusal for a charge that no loan of the product may have.
 * @returns false if the product has no list: then the lender has to know.
 * @throws Failure ChargeNotDisclosed if it has one without the charge.
 */
export async function checkDisclosed(sql: Sql, { loan }: OwnLoan, chargeType: string): Promise<boolean> {
  const terms = await findProductTerms(sql, loan)
  const fault = findChargeFault(terms, chargeType, loan.sanctioned_on)
  if (fault !== null) throw new LedgerRefusal(`Loan ${loan.lan} does not allow the charge: ${fault}`, 'charge_not_allowed')
  const isDisclosed = isDisclosedCharge(terms, chargeType)
  if (isDisclosed === false)
    throw new Failure('ChargeNotDisclosed', `The key facts statement of loan ${loan.lan} does not list the charge ${chargeType}.`, {
      field: 'input.charge_type',
    })
  return isDisclosed === true
}

/**
 * A charge, and its tax as a charge of its own, rounded half to even.
 *
 * @param taxRatePpb 0 for none.
 * @throws LedgerRefusal for the tax of a penal charge (india.md R16).
 */
export function chargeWithTax(charge: NewCharge, taxRatePpb: RatePpb): NewCharge[] {
  const tax = shareHalfEven(Number(charge.amountPaise), taxRatePpb, wholePpb)
  if (tax === 0) return [charge]
  if (charge.penal || charge.chargeType === lateChargeType) throw new LedgerRefusal('A penal charge has no GST', 'penal_without_tax')
  return [
    charge,
    { ...charge, chargeId: taxIdOf(charge.chargeId), chargeType: `${charge.chargeType}_TAX`, amountPaise: paise(BigInt(tax)) },
  ]
}
/** The id of the tax of a charge. */
export const taxIdOf = (chargeId: string): string => prepaymentTaxIdOf(chargeId) ?? `${chargeId}:tax`

/** The order of charges in the loan's facts. */
export const byDateThenId = (left: Charge, right: Charge): number =>
  `${left.date} ${left.chargeId}` < `${right.date} ${right.chargeId}` ? -1 : 1
