import { allowedPaymentsOf, dueAmounts, nextEmiWaits, nextUnpaidRow, nothingAllowed } from './allowed-payments.ts'
import type { DueAmounts } from './allowed-payments.ts'
import type { Day, DayNumber } from './calendar.ts'
import { dayFromNumber, dayNumber } from './calendar.ts'
import { payoffOn } from './foreclosure.ts'
import type { Book, BookRow } from './loan-book.ts'
import { chargePending, oldestUnpaidRow, outstandingPrincipal, rowPending } from './loan-book.ts'
import { factsFault, termsFault } from './loan-facts.ts'
import type { AllocationLine, Charge, InstalmentStatus, LoanFacts, LoanState, LoanStatus, ReceivedPayment, ScheduleRow } from './loans.ts'
import type { Paise } from './money.ts'
import { paise, sumPaise, zeroPaise } from './money.ts'
import { project, replay, replayAsAgreed, replayQuoted } from './replay.ts'

const toPaise = (amount: number): Paise => (amount === 0 ? zeroPaise : paise(BigInt(amount)))

type RowCharges = ScheduleRow['charges']
const noCharges: RowCharges = []

/** Unpaid charges by the row they are shown in: a late charge with its instalment, another with the row of its period. */
function chargesByRow(book: Book): Map<BookRow, RowCharges[number][]> {
  const byRow = new Map<BookRow, RowCharges[number][]>()
  for (const charge of book.charges) {
    const pending = chargePending(charge)
    if (pending === 0) continue
    const row =
      (charge.lateFor === null ? undefined : book.rows.find(({ due }) => due === charge.lateFor)) ??
      book.rows.find(({ due }) => due >= charge.day) ??
      book.rows.at(-1)
    if (row === undefined) continue
    const shown = byRow.get(row)
    const entry = { chargeId: charge.chargeId, chargeType: charge.chargeType, pendingPaise: toPaise(pending) }
    if (shown === undefined) byRow.set(row, [entry])
    else shown.push(entry)
  }
  return byRow
}

function rowStatus(row: BookRow, overdueBefore: DayNumber): InstalmentStatus {
  if (rowPending(row) === 0) return 'Paid'
  return row.due < overdueBefore ? 'Late' : 'Due'
}

/** `instalmentPaise`: the row's own instalment as money, so that equal amounts need not be made again for every row. */
function scheduleRow(row: BookRow, status: InstalmentStatus, charges: RowCharges, instalmentPaise: Paise): ScheduleRow {
  const principalPaise = toPaise(row.principal)
  const interestPaise = toPaise(row.interest)
  const amount = row.principal + row.interest
  const repaymentAmountPaise = amount === row.instalment ? instalmentPaise : toPaise(amount)
  const pending = rowPending(row)
  let pendingPaise = pending === amount ? repaymentAmountPaise : toPaise(pending)
  for (const charge of charges) pendingPaise = paise(pendingPaise + charge.pendingPaise)
  return {
    number: row.number,
    dueDate: dayFromNumber(row.due),
    repaymentAmountPaise,
    principalPaise,
    interestPaise,
    closingBalancePaise: toPaise(row.closing),
    paidPrincipalPaise: row.paidPrincipal === row.principal ? principalPaise : toPaise(row.paidPrincipal),
    paidInterestPaise: row.paidInterest === row.interest ? interestPaise : toPaise(row.paidInterest),
    pendingPaise,
    charges,
    status,
  }
}

function scheduleRows(book: Book, overdueBefore: DayNumber, known: boolean): ScheduleRow[] {
  const charges = book.charges.length === 0 ? null : chargesByRow(book)
  let instalment = 0
  let instalmentPaise = zeroPaise
  return book.rows.map((row) => {
    if (row.instalment !== instalment) {
      instalment = row.instalment
      instalmentPaise = toPaise(instalment)
    }
    return scheduleRow(row, known ? rowStatus(row, overdueBefore) : 'Unknown', charges?.get(row) ?? noCharges, instalmentPaise)
  })
}

/** The instalment in force: of the next row that is neither overdue nor paid; before EMIs begin, that row's amount (decision 35). */
function instalmentInForce(book: Book, next: BookRow | null): number {
  if (next !== null) return next.instalment > 0 ? next.instalment : next.interest + next.principal
  return book.rows.at(-1)?.instalment ?? 0
}

function loanStatus(due: DueAmounts, isClosed: boolean): LoanStatus {
  if (due.oldestOverdue !== null) return 'OVERDUE'
  return isClosed ? 'CLOSED' : 'ACTIVE'
}

function derivedCharges(book: Book, facts: LoanFacts): Charge[] {
  const stored = new Set(facts.charges.map(({ chargeId }) => chargeId))
  return book.charges
    .filter(({ chargeId }) => !stored.has(chargeId))
    .map(({ chargeId, chargeType, day, amount, penal }) => ({
      chargeId,
      date: dayFromNumber(day),
      chargeType,
      amountPaise: toPaise(amount),
      penal,
      waivedOn: null,
    }))
}

const heldOf = ({ heldPaise }: ReceivedPayment): Paise => heldPaise ?? zeroPaise

/** A payment of a loan that is not understood: all of it is credit, but for what goes back. */
const unallocated = (payment: ReceivedPayment): AllocationLine[] =>
  (
    [
      ['excess', paise(payment.amountPaise - heldOf(payment))],
      ['held', heldOf(payment)],
    ] as const
  )
    .filter(([, amountPaise]) => amountPaise > 0n)
    .map(([component, amountPaise]) => ({ component, instalmentNumber: null, chargeId: null, amountPaise }))

const emptyState = (status: LoanStatus, disbursedPaise: Paise, facts: LoanFacts): LoanState => ({
  status,
  instalmentPaise: zeroPaise,
  rows: [],
  disbursedPaise,
  principalOutstandingPaise: disbursedPaise,
  duesPaise: zeroPaise,
  dpd: 0,
  dueDate: null,
  instalmentsPaid: 0,
  instalmentsDue: 0,
  creditPaise: zeroPaise,
  heldPaise: sumPaise([...facts.payments.map(heldOf), ...facts.refunds.map(({ amountPaise }) => amountPaise)]),
  refundShortPaise: zeroPaise,
  allowed: { ...nothingAllowed, linkMaximumPaise: facts.terms.linkMaximumPaise },
  allocations: facts.payments.map((payment) => ({ paymentId: payment.paymentId, lines: unallocated(payment) })),
  adjustments: [],
  shortForeclosures: [],
  capitalised: null,
  nextInstalmentPaise: zeroPaise,
  derivedCharges: [],
})

/** Facts that do not add up still show the schedule that was agreed, where the terms allow one; nothing may be paid on it. */
function unknownState(facts: LoanFacts, day: Day): LoanState {
  const disbursals = facts.disbursals.filter(({ date, amountPaise }) => date <= day && amountPaise > 0n)
  const disbursedPaise = paise(disbursals.reduce((sum, { amountPaise }) => sum + amountPaise, 0n))
  const empty = emptyState('UNKNOWN', disbursedPaise, facts)
  const plain: LoanFacts = {
    ...facts,
    sanctionedPaise: disbursedPaise,
    disbursals,
    payments: [],
    refunds: [],
    charges: [],
    rateChanges: [],
  }
  if (disbursals.length === 0 || termsFault(facts.terms) !== null || factsFault(plain, day) !== null) return empty
  const book = replay(plain, dayNumber(day))
  project(book, dayNumber(day))
  const rows = scheduleRows(book, dayNumber(day), false)
  return { ...empty, rows, instalmentPaise: toPaise(instalmentInForce(book, null)), instalmentsDue: rows.length }
}

/** Allocations in the order of `facts.payments`, which the replay may have left for the order of their dates. */
function inFactsOrder(book: Book, facts: LoanFacts): LoanState['allocations'] {
  const { allocations } = book
  if (allocations.every(({ paymentId }, index) => facts.payments[index]?.paymentId === paymentId)) return allocations
  const position = new Map(facts.payments.map(({ paymentId }, index) => [paymentId, index]))
  return allocations.toSorted((left, right) => (position.get(left.paymentId) ?? 0) - (position.get(right.paymentId) ?? 0))
}

/** `overdueBefore`: rows due before this day are overdue. DPD counts from it, so that the two readings of a day differ in nothing else. */
function stateOf(facts: LoanFacts, day: Day, overdueBefore: DayNumber, replayFacts: typeof replay): LoanState {
  if (factsFault(facts, day) !== null) return unknownState(facts, day)
  const today = dayNumber(day)
  const book = replayFacts(facts, today)
  if (!book.started) return emptyState('ACTIVE', zeroPaise, { ...facts, payments: [], refunds: [] })
  oldestUnpaidRow(book)
  const due = dueAmounts(book, overdueBefore)
  const payoff = payoffOn(book, today)
  const principalOutstandingPaise = toPaise(outstandingPrincipal(book))
  const isClosed = outstandingPrincipal(book) + payoff.unpaidInterest + payoff.runInterest + payoff.charges === 0
  const waits = nextEmiWaits(book)
  project(book, today)
  const dpd = due.oldestOverdue === null ? 0 : overdueBefore - due.oldestOverdue
  const next = nextUnpaidRow(book, overdueBefore)
  const instalment = instalmentInForce(book, next)
  const rows = scheduleRows(book, overdueBefore, true)
  const paid = rows.reduce((count, { status }) => (status === 'Paid' ? count + 1 : count), 0)
  return {
    status: loanStatus(due, isClosed),
    instalmentPaise: toPaise(instalment),
    rows,
    disbursedPaise: toPaise(book.disbursed),
    principalOutstandingPaise,
    duesPaise: toPaise(due.overduePrincipal + due.overdueInterest + due.dueToday + due.charges),
    dpd,
    dueDate: rows.find(({ status }) => status !== 'Paid')?.dueDate ?? null,
    instalmentsPaid: paid,
    instalmentsDue: rows.length - paid,
    creditPaise: toPaise(book.credit),
    heldPaise: toPaise(book.held),
    refundShortPaise: toPaise(book.refundShort),
    allowed: allowedPaymentsOf(facts.terms, due, dpd, payoff, waits ? null : next, instalment),
    allocations: inFactsOrder(book, facts),
    adjustments: book.adjustments,
    shortForeclosures: book.shortForeclosures,
    capitalised: book.capitalised === 0 ? null : { date: dayFromNumber(book.capitalisedOn), amountPaise: toPaise(book.capitalised) },
    nextInstalmentPaise: toPaise(book.instalment),
    derivedCharges: derivedCharges(book, facts),
  }
}

/**
 * The loan as a page shows it during a day: the last finished day end, less what has been paid since. An instalment due today is
 * Due, DPD 0, and not overdue (decision 22).
 */
export const loanStateDuring = (facts: LoanFacts, today: Day): LoanState => stateOf(facts, today, dayNumber(today), replay)

/**
 * The loan during a day as a quote has it: as {@link loanStateDuring}, but a quote made on the evening before contains no late charge
 * that arises only on its own day (decision 55).
 *
 * @param madeOn the day on which the quote is made.
 */
export const loanStateQuoted = (facts: LoanFacts, day: Day, madeOn: Day): LoanState =>
  madeOn < day
    ? stateOf(facts, day, dayNumber(day), (all, last) => replayQuoted(all, last, dayNumber(madeOn)))
    : loanStateDuring(facts, day)

/** The loan at the end of a day: everything of that day counts, and an instalment due that day is its first day past due (decision 22). */
export const loanStateAtEndOf = (facts: LoanFacts, day: Day): LoanState => stateOf(facts, day, dayNumber(day) + 1, replay)

/**
 * The loan at the end of a day by its agreed schedule: unlike {@link loanStateAtEndOf}, instalments not paid in time bear no further
 * interest under `actual_365`. For a plan of which no payment is known.
 */
export const loanPlanAtEndOf = (facts: LoanFacts, day: Day): LoanState => stateOf(facts, day, dayNumber(day) + 1, replayAsAgreed)
