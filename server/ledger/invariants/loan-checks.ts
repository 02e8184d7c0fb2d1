import { dayInIndia } from '#domain/calendar.ts'
import { factsFault } from '#domain/loan-facts.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { groupsOf, planPostings, type Group, type Plan } from '../plan.ts'
import { ledgerDay, postingsOf } from '../postings.ts'
import type { BookLoan } from '../book-store.ts'
import type { Broken } from './invariant.ts'

/** What one pass of the domain over a loan's facts decides. */
export const loanInvariants: Readonly<Record<string, string>> = {
  I14: 'of every instalment and charge no less than 0 and no more than all is paid, and by component that is what the ledger has',
  I15: 'every payment is allocated in the ledger as the domain allocates it, and to nothing more',
  I21: 'the ledger is the same whatever order its facts became known in',
  I23: "replaying a loan's facts gives the balances that the ledger has",
  I24: "the chain of a loan's transactions is whole",
  I26: 'a closed loan owes nothing and has no open link',
  I31: 'credit of a closed loan goes back within a day, or is on the review list',
  I32: 'a foreclosure that fell short is on the review list within a day',
}

/** Everything that is wrong with a loan, asked of the domain at a moment. */
export function checkLoan(book: BookLoan, now: Date): Broken[] {
  const { loan, facts, ledger } = book
  const say = (id: string, what: string): Broken => ({ id, detail: `loan ${loan.lan}: ${what}` })
  const asOf = ledgerDay(facts, now)
  const fault = factsFault(facts, asOf)
  const link = book.brokenLink === null ? [] : [say('I24', `the chain of its transactions breaks at number ${book.brokenLink}`)]
  if (fault !== null) return [...link, say('I23', `its facts do not add up: ${fault}`)]
  try {
    const groups = groupsOf(ledger)
    const state = loanStateDuring(facts, asOf)
    const plan = planPostings(postingsOf(facts, state, asOf), groups)
    const waiting = withoutWaiting(plan, ledger.at(-1)?.postedAt ?? null)
    return [
      ...link,
      ...componentFaults(state).map((what) => say('I14', what)),
      ...planFaults(waiting.plan).map(([id, what]) => say(id, what)),
      ...(waiting.some ? [] : balanceFaults(state, groups)).map((what) => say('I23', what)),
      ...closedFaults(book, state).map((what) => say('I26', what)),
      ...creditFaults(book, state, now).map((what) => say('I31', what)),
      ...shortFaults(book, state, now).map((what) => say('I32', what)),
    ]
  } catch (error) {
    return [...link, say('I23', (error as Error).message)]
  }
}

/**
 * What a due date alone brings about (credit used, deferred interest added to principal) enters the ledger with the next
 * transaction that closes over it (decision 21); until then it may wait.
 */
function withoutWaiting(plan: Plan, lastPostedAt: Date | null): { plan: Plan; some: boolean } {
  const closedOver = lastPostedAt === null ? '' : dayInIndia(lastPostedAt)
  const add = plan.add.filter(({ posting }) => posting.kind === 'repayment' || posting.valueDate <= closedOver)
  return { plan: { ...plan, add }, some: add.length < plan.add.length }
}

function planFaults({ add, change, undo }: Plan): [id: string, what: string][] {
  return [
    ...add.map(({ posting }): [string, string] => ['I21', `${posting.key} of ${posting.valueDate} is not in the ledger`]),
    ...change.map(({ posting }): [string, string] => [
      'I15',
      `${posting.key} of ${posting.valueDate} is posted to other components than the facts say`,
    ]),
    ...undo.map(({ key, valueDate }): [string, string] => [
      'I21',
      `${key} of ${valueDate} is in the ledger, and nothing in the facts brings it about`,
    ]),
  ]
}

/** Where a schedule and the allocations that paid it differ (I14). */
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

/** What payments and credit settled of the rows. Interest given back after a row was paid leaves the row paid. */
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

function balanceFaults(state: LoanState, groups: ReadonlyMap<string, Group>): string[] {
  let principal = 0n
  let excess = 0n
  for (const { kind, lines } of groups.values())
    for (const { account, amountPaise } of lines) {
      if (account === 'principal') principal -= amountPaise
      // What went back was set aside before, and the facts go on holding it.
      if (account === 'excess' && kind !== 'refund') excess += amountPaise
    }
  const faults: string[] = []
  if (principal !== state.principalOutstandingPaise)
    faults.push(`${principal} paise of principal are outstanding in the ledger, ${state.principalOutstandingPaise} by its facts`)
  const kept = state.creditPaise + state.heldPaise
  if (excess !== kept) faults.push(`the ledger has ${excess} paise of the borrower's own, with what went back; the facts have ${kept}`)
  return faults
}

function closedFaults({ hasOpenLink }: BookLoan, state: LoanState): string[] {
  if (state.status !== 'CLOSED') return []
  const faults: string[] = []
  if (state.principalOutstandingPaise !== 0n)
    faults.push(`it is closed with ${state.principalOutstandingPaise} paise of principal outstanding`)
  if (state.duesPaise !== 0n) faults.push(`it is closed with dues of ${state.duesPaise} paise`)
  if (hasOpenLink) faults.push('it is closed and has an open payment link')
  return faults
}

const dayMs = 86_400_000

/** A worker has seen the loan since, or will within a day of when it was to be seen. */
const isFollowedUp = ({ followUpAt }: BookLoan, now: Date): boolean => followUpAt !== null && now.getTime() - followUpAt.getTime() <= dayMs

function creditFaults(book: BookLoan, { status, creditPaise }: LoanState, now: Date): string[] {
  if (status !== 'CLOSED' || creditPaise === 0n || isFollowedUp(book, now)) return []
  const about = `credit_on_closed_loan:${book.loan.loan_id}:${creditPaise}`
  return book.reviews.has(about) ? [] : [`it is closed with a credit of ${creditPaise} paise, which neither goes back nor is on the list`]
}

function shortFaults(book: BookLoan, { status, shortForeclosures }: LoanState, now: Date): string[] {
  if (status === 'CLOSED' || isFollowedUp(book, now)) return []
  return shortForeclosures
    .filter(({ paymentId }) => !book.reviews.has(`foreclosure_short:${paymentId}`))
    .map(({ paymentId, shortPaise }) => `its foreclosure by payment ${paymentId} fell short by ${shortPaise} paise, and is not on the list`)
}
