import { dayInIndia } from '#domain/calendar.ts'
import { dayMs } from '#domain/durations.ts'
import { factsFault } from '#domain/loan-facts.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { computeAprBasisPoints } from '../../loans/apr-store.ts'
import { nameCreditReview } from '../../loans/credit-review.ts'
import { groupTransactions, planPostings, type PostingPlan, type TransactionGroup } from '../plan.ts'
import { ledgerDay, computePostings } from '../postings.ts'
import type { BookLoan } from '../book-store.ts'
import type { BrokenInvariant } from './invariant.ts'

/** The invariants that one computation of a loan's state decides. */
export const loanInvariants: Readonly<Record<string, string>> = {
  I14: 'the paid part of every instalment is between 0 and its amount, and equals its allocations by component',
  I15: 'every payment is allocated in the ledger as the domain allocates it',
  I21: 'the ledger does not depend on the order in which the facts were recorded',
  I23: "replaying a loan's facts gives the balances of the ledger, and no credit is below 0 by more than its refunds fall short",
  I24: "the chain hashes of a loan's transactions are right",
  I26: 'a closed loan owes nothing and has no payable link',
  I31: 'credit of a closed loan is refunded within a day, or is under review; so is a refund of credit that is gone',
  I32: 'a short foreclosure is under review within a day',
  I33: 'the stored annual percentage rate equals the computed one',
}

/** Checks one loan at a moment. */
export function checkLoan(book: BookLoan, now: Date): BrokenInvariant[] {
  const { loan, facts, ledger } = book
  const violation = (id: string, what: string): BrokenInvariant => ({ id, detail: `loan ${loan.lan}: ${what}` })
  const asOf = ledgerDay(facts, now)
  const fault = factsFault(facts, asOf)
  const chain =
    book.brokenSequence === null ? [] : [violation('I24', `the chain of its transactions breaks at number ${book.brokenSequence}`)]
  if (fault !== null) return [...chain, violation('I23', `its facts do not add up: ${fault}`)]
  try {
    const groups = groupTransactions(ledger)
    const state = loanStateToPost(facts, asOf)
    const plan = planPostings(computePostings(facts, state, asOf), groups)
    const due = withoutDeferred(plan, ledger.at(-1)?.postedAt ?? null)
    return [
      ...chain,
      ...componentFaults(state).map((what) => violation('I14', what)),
      ...planFaults(due.plan).map(([id, what]) => violation(id, what)),
      ...(due.isDeferred ? [] : balanceFaults(state, groups)).map((what) => violation('I23', what)),
      ...closedFaults(book, state).map((what) => violation('I26', what)),
      ...creditFaults(book, state, now).map((what) => violation('I31', what)),
      ...shortFaults(book, state, now).map((what) => violation('I32', what)),
      ...aprFaults(book).map((what) => violation('I33', what)),
    ]
  } catch (error) {
    return [...chain, violation('I23', (error as Error).message)]
  }
}

/**
 * Removes postings that only a due date causes, such as used credit or capitalised interest: they
 * are posted by the loan's follow-up or with its next transaction (decision 0123).
 */
function withoutDeferred(plan: PostingPlan, lastPostedAt: Date | null): { plan: PostingPlan; isDeferred: boolean } {
  const lastDay = lastPostedAt === null ? '' : dayInIndia(lastPostedAt)
  const add = plan.add.filter(({ posting }) => posting.kind === 'repayment' || posting.valueDate <= lastDay)
  return { plan: { ...plan, add }, isDeferred: add.length < plan.add.length }
}

function planFaults({ add, change, undo }: PostingPlan): [id: string, what: string][] {
  return [
    ...add.map(({ posting }): [string, string] => ['I21', `${posting.key} of ${posting.valueDate} is not in the ledger`]),
    ...change.map(({ posting }): [string, string] => [
      'I15',
      `${posting.key} of ${posting.valueDate} is posted to other components than the facts say`,
    ]),
    ...undo.map(({ key, valueDate }): [string, string] => ['I21', `${key} of ${valueDate} is in the ledger, and no fact causes it`]),
  ]
}

/** The differences between a schedule and its allocations (I14). */
export function componentFaults(state: LoanState): string[] {
  const faults: string[] = []
  let paidInterest = 0n
  let paidPrincipal = 0n
  for (const row of state.rows) {
    paidInterest += row.paidInterestPaise
    paidPrincipal += row.paidPrincipalPaise
    if (row.paidInterestPaise < 0n || row.paidInterestPaise > row.interestPaise)
      faults.push(`instalment ${row.number} has ${row.paidInterestPaise} paise paid of its interest of ${row.interestPaise}`)
    if (row.paidPrincipalPaise < 0n || row.paidPrincipalPaise > row.principalPaise)
      faults.push(`instalment ${row.number} has ${row.paidPrincipalPaise} paise paid of its principal of ${row.principalPaise}`)
  }
  const settled = settledByComponent(state)
  if (settled.interest !== paidInterest)
    faults.push(`${paidInterest} paise of interest are paid in the schedule, ${settled.interest} by the allocations`)
  if (settled.instalmentPrincipal !== paidPrincipal)
    faults.push(`${paidPrincipal} paise of principal are paid in the schedule, ${settled.instalmentPrincipal} by the allocations`)
  return faults
}

/** The amounts that payments and credit settled. Interest returned later leaves a row paid. */
function settledByComponent({ allocations, adjustments }: LoanState): { interest: bigint; instalmentPrincipal: bigint } {
  let interest = 0n
  let instalmentPrincipal = 0n
  const moved = adjustments.filter(({ reason }) => reason !== 'interest_waived')
  for (const { lines } of [...allocations, ...moved])
    for (const { component, instalmentNumber, amountPaise } of lines) {
      if (component === 'interest' && amountPaise > 0n) interest += amountPaise
      if (component === 'principal' && instalmentNumber !== null) instalmentPrincipal += amountPaise
    }
  return { interest, instalmentPrincipal }
}

function balanceFaults(state: LoanState, groups: ReadonlyMap<string, TransactionGroup>): string[] {
  let principal = 0n
  let excess = 0n
  let refunded = 0n
  for (const { kind, lines } of groups.values())
    for (const { account, amountPaise } of lines) {
      if (account === 'principal') principal -= amountPaise
      if (account !== 'excess') continue
      // The facts still contain refunded money, as held or refunded credit.
      if (kind === 'refund') refunded -= amountPaise
      else excess += amountPaise
    }
  const faults: string[] = []
  if (principal !== state.principalOutstandingPaise)
    faults.push(`${principal} paise of principal are outstanding in the ledger, ${state.principalOutstandingPaise} by its facts`)
  const credit = state.creditPaise + state.heldPaise
  if (excess !== credit) faults.push(`the ledger has ${excess} paise of credit and held money, refunds included; the facts have ${credit}`)
  if (excess - refunded < -state.refundShortPaise)
    faults.push(`it has a credit of ${excess - refunded} paise, and its refunds fall short by ${state.refundShortPaise}`)
  return faults
}

function closedFaults({ hasPayableLink }: BookLoan, state: LoanState): string[] {
  if (state.status !== 'CLOSED') return []
  const faults: string[] = []
  if (state.principalOutstandingPaise !== 0n)
    faults.push(`it is closed with ${state.principalOutstandingPaise} paise of principal outstanding`)
  if (state.duesPaise !== 0n) faults.push(`it is closed with dues of ${state.duesPaise} paise`)
  if (hasPayableLink) faults.push('it is closed and has a payable payment link')
  return faults
}

/**
 * Each try of a follow-up schedules the next one, by the waits of `followUpLoans`: the next after
 * these comes 26.5 hours after the first. A change of the loan counts from 0 again.
 */
const followUpAttemptsMax = 12

/** True while the loan's check is scheduled, is not overdue for a day, nor fails for a day. */
const isFollowedUp = ({ followUp }: BookLoan, now: Date): boolean =>
  followUp !== null && now.getTime() - followUp.at.getTime() <= dayMs && followUp.attempts <= followUpAttemptsMax

function creditFaults(book: BookLoan, { status, creditPaise, refundShortPaise }: LoanState, now: Date): string[] {
  if (isFollowedUp(book, now)) return []
  const { loan_id: loanId } = book.loan
  const faults: string[] = []
  if (
    status === 'CLOSED' &&
    creditPaise > 0n &&
    !book.reviews.has(`credit_on_closed_loan:${nameCreditReview(loanId, creditPaise, book.facts)}`)
  )
    faults.push(`it is closed with a credit of ${creditPaise} paise, which is neither refunded nor under review`)
  if (refundShortPaise > 0n && !book.reviews.has(`refund_short:${loanId}:${refundShortPaise}`))
    faults.push(`${refundShortPaise} paise more were refunded than it has credit, which is not under review`)
  return faults
}

function shortFaults(book: BookLoan, { status, shortForeclosures }: LoanState, now: Date): string[] {
  if (status === 'CLOSED' || isFollowedUp(book, now)) return []
  return shortForeclosures
    .filter(({ paymentId }) => !book.reviews.has(`foreclosure_short:${paymentId}`))
    .map(
      ({ paymentId, shortPaise }) => `its foreclosure by payment ${paymentId} fell short by ${shortPaise} paise, and is not under review`,
    )
}

/** A loan that the version before wrote has no rate until its first read. */
function aprFaults({ loan, facts }: BookLoan): string[] {
  const { apr_basis_points: stored, apr_disbursed_on: disbursedOn } = loan
  if (stored === null || disbursedOn === null) return []
  const computed = computeAprBasisPoints(facts, loan, disbursedOn)
  return stored === computed ? [] : [`an annual percentage rate of ${stored} hundredths of a percent is stored, ${computed} is computed`]
}
