import { dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { isTakenBack, sumPaidByCharge, sumWaivedBy, type Charge, type LoanFacts, type LoanState } from '#domain/loans.ts'
import { paise, shareHalfEven, smallerPaise, sumPaise, zeroPaise, type Paise } from '#domain/money.ts'
import { addNotice } from '../add-notice.ts'
import { markWaived, storeDerivedCharges } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { byDateThenId, taxIdOf } from './add-charge.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { ledgerDay } from '../ledger/postings.ts'
import type { LoanTransaction } from './change-loan.ts'
import { refuseShortRefund } from './refuse-short-refund.ts'

/**
 * Waives the unpaid part of a charge, either an added or a derived one (decision 21), and its tax,
 * with a notice to the borrower. The caller holds the loan's row lock.
 *
 * @returns the waived paise, tax included; null if the charge was waived before, and nothing of it
 * is owed again.
 * @throws LedgerRefusal if no such charge is open, with a list of the open charges, or the loan's
 * state is unknown.
 */
export async function waiveCharge(transaction: LoanTransaction, chargeId: string, waivedOn: Day): Promise<Paise | null> {
  const { own, now } = transaction
  const { loan, facts } = own
  const open = listOpenCharges(facts, readKnownState(own, now))
  const stored = facts.charges.find((charge) => charge.chargeId === chargeId)
  const waivedBefore = stored !== undefined && stored.waivedOn !== null
  const charge = open.find((candidate) => candidate.charge.chargeId === chargeId)
  if (charge === undefined && waivedBefore) return null
  if (charge === undefined)
    throw new LedgerRefusal(`Loan ${loan.lan} has no open charge ${chargeId}; open are: ${joinIds(open)}`, 'charge_not_open')
  if (waivedOn < charge.charge.date || waivedOn > dayInIndia(now))
    throw new LedgerRefusal(`A waiver of ${chargeId} must lie between ${charge.charge.date} and today`, 'day_outside')
  const waivers = [toWaiver(charge, charge.pendingPaise, waivedOn), ...waiverOfTax(open, charge, waivedOn)]
  return storeWaivers(transaction, waivers, waivedOn)
}

/**
 * Takes back a charge that should not have been raised, and its tax: it is waived as of its own
 * day, so that what was paid of it pays what was due next, and the rest is credit. The caller holds
 * the loan's row lock.
 *
 * @returns the paise that are not charged any more, tax included; null if all of it was waived
 * before.
 * @throws LedgerRefusal if the loan has no such charge, its state is unknown, or credit that was
 * refunded since would be short.
 */
export async function takeBackCharge(transaction: LoanTransaction, chargeId: string): Promise<Paise | null> {
  const { own, now } = transaction
  const { loan, facts } = own
  const state = readKnownState(own, now)
  if (facts.charges.some((charge) => charge.chargeId === chargeId && isTakenBack(charge))) return null
  const raised = listRaisedCharges(facts, state)
  const named = raised.filter(({ charge }) => charge.chargeId === chargeId || charge.chargeId === taxIdOf(chargeId))
  if (!named.some(({ charge }) => charge.chargeId === chargeId))
    throw new LedgerRefusal(`Loan ${loan.lan} has no charge ${chargeId}; it has: ${joinIds(raised)}`, 'charge_not_open')
  const waivers = named.map(({ charge, unpaidPaise }) => ({
    waived: { ...charge, waivedOn: charge.date, waivedPaise: charge.amountPaise },
    amountPaise: paise(charge.amountPaise - waivedPaiseOf(charge, unpaidPaise) - sumWaivedBy(state, charge.chargeId)),
  }))
  if (waivers.every(({ amountPaise }) => amountPaise === 0n)) return null
  refuseShortRefund(facts, withWaivers(facts, waivers), now)
  return storeWaivers(transaction, waivers, dayInIndia(now))
}

/**
 * The loan's state, if it is known: no payment of any other loan is allocated, so a charge that was
 * paid would count as unpaid.
 */
function readKnownState({ loan, facts }: OwnLoan, now: Date): LoanState {
  const state = loanStateToPost(facts, ledgerDay(facts, now))
  if (state.status === 'UNKNOWN')
    throw new LedgerRefusal(
      `The facts of loan ${loan.lan} contradict each other, so it is unknown which charges are paid`,
      'facts_do_not_allow',
    )
  return state
}

function withWaivers(facts: LoanFacts, waivers: readonly Waiver[]): LoanFacts {
  const ids = new Set(waivers.map(({ waived }) => waived.chargeId))
  const charges = [...facts.charges.filter(({ chargeId }) => !ids.has(chargeId)), ...waivers.map(({ waived }) => waived)]
  return { ...facts, charges: charges.toSorted(byDateThenId) }
}

/** Stores and posts waivers of one charge and its tax, and tells the borrower. @returns the sum. */
async function storeWaivers({ sql, own, now, actorId }: LoanTransaction, waivers: readonly Waiver[], date: Day): Promise<Paise> {
  const { loan, facts } = own
  const isStored = ({ waived }: Waiver) => facts.charges.some(({ chargeId }) => chargeId === waived.chargeId)
  const derived = waivers.filter((waiver) => !isStored(waiver)).map(({ waived }) => waived)
  await storeDerivedCharges(sql, loan, derived)
  for (const { waived } of waivers) await markWaived(sql, loan, waived.chargeId, { on: waived.waivedOn, amountPaise: waived.waivedPaise })
  await reconcileLedgerToFacts(sql, { ...own, facts: withWaivers(facts, waivers) }, now, actorId)
  const amountPaise = sumPaise(waivers.map((waiver) => waiver.amountPaise))
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const [{ chargeId, waivedPaise }] = waivers.map(({ waived }) => waived) as [Waiver['waived']]
  const isAgain = facts.charges.some((charge) => charge.chargeId === chargeId && charge.waivedOn !== null)
  const about = `waived:${loanId}:${chargeId}${isAgain ? `:${waivedPaise}` : ''}`
  await addNotice(sql, { borrowerId, about, kind: 'charge_waived', lan, amountPaise, date }, now)
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

type RaisedCharge = { charge: Charge; unpaidPaise: Paise }

/** Charges that have a cause. */
function listRaisedCharges(facts: LoanFacts, state: LoanState): RaisedCharge[] {
  const paid = sumPaidByCharge(state)
  return [...facts.charges, ...state.derivedCharges]
    .filter(({ chargeId }) => !state.voidCharges.includes(chargeId))
    .map((charge) => ({ charge, unpaidPaise: paise(charge.amountPaise - (paid.get(charge.chargeId) ?? 0n)) }))
}

/**
 * What is waived of a charge, of what is not paid. A waiver without an amount is of all that. One
 * that was decided before a payment of an earlier day became known is of less than was decided.
 */
const waivedPaiseOf = ({ waivedOn, waivedPaise }: Charge, unpaidPaise: Paise): Paise =>
  waivedOn === null ? zeroPaise : smallerPaise(waivedPaise ?? unpaidPaise, unpaidPaise)

/** Charges that have a cause and of which something is neither paid nor waived. */
export const listOpenCharges = (facts: LoanFacts, state: LoanState): OpenCharge[] =>
  listRaisedCharges(facts, state)
    .map(({ charge, unpaidPaise }) => ({ charge, pendingPaise: paise(unpaidPaise - waivedPaiseOf(charge, unpaidPaise)) }))
    .filter(({ pendingPaise }) => pendingPaise > 0n)

const joinIds = (charges: readonly Pick<OpenCharge, 'charge'>[]): string =>
  charges.map(({ charge }) => charge.chargeId).join(', ') || 'none'
