import { dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { sumPaidByCharge, type Charge, type LoanFacts, type LoanState } from '#domain/loans.ts'
import { paise, shareHalfEven, smallerPaise, sumPaise, type Paise } from '#domain/money.ts'
import { addNotice } from '../add-notice.ts'
import type { Sql } from '../database/connect.ts'
import { markWaived, storeDerivedCharges } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { byDateThenId, taxIdOf } from './add-charge.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { ledgerDay } from '../ledger/postings.ts'

/**
 * Waives the unpaid part of a charge, either an added or a derived one (decision 21), and its tax,
 * with a notice to the borrower. The caller holds the loan's row lock.
 *
 * @returns the waived paise, tax included; null if the charge was waived before, and nothing of it
 * is owed again.
 * @throws LedgerRefusal if no such charge is open, with a list of the open charges, or the loan's
 * state is unknown.
 */
export async function waiveCharge(
  sql: Sql,
  own: OwnLoan,
  chargeId: string,
  waivedOn: Day,
  now: Date,
  actorId: string,
): Promise<Paise | null> {
  const { loan, facts } = own
  const state = loanStateToPost(facts, ledgerDay(facts, now))
  // No payment of such a loan is allocated, so a paid charge would be waived.
  if (state.status === 'UNKNOWN')
    throw new LedgerRefusal(
      `The facts of loan ${loan.lan} contradict each other, so it is unknown which charges are paid`,
      'facts_do_not_allow',
    )
  const open = listOpenCharges(facts, state)
  const stored = facts.charges.find((charge) => charge.chargeId === chargeId)
  const waivedBefore = stored !== undefined && stored.waivedOn !== null
  const charge = open.find((candidate) => candidate.charge.chargeId === chargeId)
  if (charge === undefined && waivedBefore) return null
  if (charge === undefined)
    throw new LedgerRefusal(`Loan ${loan.lan} has no open charge ${chargeId}; open are: ${joinIds(open)}`, 'charge_not_open')
  if (waivedOn < charge.charge.date || waivedOn > dayInIndia(now))
    throw new LedgerRefusal(`A waiver of ${chargeId} must lie between ${charge.charge.date} and today`, 'day_outside')
  const ofCharge = toWaiver(charge, charge.pendingPaise, waivedOn)
  const waivers = [ofCharge, ...waiverOfTax(open, charge, waivedOn)]
  if (!stored) await storeDerivedCharges(sql, loan, [ofCharge.waived])
  for (const { waived } of waivers) await markWaived(sql, loan, waived.chargeId, { on: waived.waivedOn, amountPaise: waived.waivedPaise })
  const ids = new Set(waivers.map(({ waived }) => waived.chargeId))
  const charges = [...facts.charges.filter((other) => !ids.has(other.chargeId)), ...waivers.map(({ waived }) => waived)]
  await reconcileLedgerToFacts(sql, { ...own, facts: { ...facts, charges: charges.toSorted(byDateThenId) } }, now, actorId)
  const amountPaise = sumPaise(waivers.map((waiver) => waiver.amountPaise))
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const about = `waived:${loanId}:${chargeId}${waivedBefore ? `:${ofCharge.waived.waivedPaise}` : ''}`
  await addNotice(sql, { borrowerId, about, kind: 'charge_waived', lan, amountPaise, date: waivedOn }, now)
  return amountPaise
}

type OpenCharge = { charge: Charge; pendingPaise: Paise }
type Waiver = { waived: Charge & { waivedOn: Day; waivedPaise: Paise }; amountPaise: Paise }

/** A payment that went back leaves a part of a waived charge owed: it is waived with the first. */
const toWaiver = ({ charge }: OpenCharge, amountPaise: Paise, waivedOn: Day): Waiver => ({
  waived: { ...charge, waivedOn: charge.waivedOn ?? waivedOn, waivedPaise: paise((charge.waivedPaise ?? 0n) + amountPaise) },
  amountPaise,
})

/** The tax of what is waived is not owed either: the same share of it, rounded half to even. */
function waiverOfTax(open: readonly OpenCharge[], { charge, pendingPaise }: OpenCharge, waivedOn: Day): Waiver[] {
  const tax = open.find((other) => other.charge.chargeId === taxIdOf(charge.chargeId))
  if (tax === undefined) return []
  const share = paise(BigInt(shareHalfEven(Number(tax.charge.amountPaise), Number(pendingPaise), Number(charge.amountPaise))))
  const amountPaise = smallerPaise(share, tax.pendingPaise)
  return amountPaise > 0n ? [toWaiver(tax, amountPaise, waivedOn)] : []
}

/** Charges that have a cause and of which something is neither paid nor waived. */
export function listOpenCharges(facts: LoanFacts, state: LoanState): OpenCharge[] {
  const paid = sumPaidByCharge(state)
  return [...facts.charges, ...state.derivedCharges]
    .filter(({ chargeId }) => !state.voidCharges.includes(chargeId))
    .map((charge) => {
      const unpaidPaise = charge.amountPaise - (paid.get(charge.chargeId) ?? 0n)
      const waivedPaise = charge.waivedOn === null ? 0n : (charge.waivedPaise ?? unpaidPaise)
      return { charge, pendingPaise: paise(unpaidPaise - waivedPaise) }
    })
    .filter(({ pendingPaise }) => pendingPaise > 0n)
}

const joinIds = (open: readonly OpenCharge[]): string => open.map(({ charge }) => charge.chargeId).join(', ') || 'none'
