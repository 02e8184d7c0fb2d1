import { accrueTo, nextBoundary, passBoundary, settlePlanBefore } from './billing.ts'
import type { Day, DayNumber } from './calendar.ts'
import { dayFromNumber, dayNumber } from './calendar.ts'
import { foreclose, isPrepaymentCharge, returnOverpaidInterest, waiveForeclosure, type PayAll } from './foreclosure.ts'
import { dailyRatio, monthlyRatio } from './interest.ts'
import type { Book, BookCharge, Lines } from './loan-book.ts'
import { chargePending, dueDayAt, never, openBook, openPeriod, rowPending } from './loan-book.ts'
import type { Charge, CreditRefund, Disbursal, ForeclosureWaiver, LoanFacts, LoanTerms, RateChange, ReceivedPayment } from './loans.ts'
import { sumPaise } from './money.ts'
import { settleShortForeclosure } from './short-foreclosure.ts'
import { allocationLine, changePrincipal, payDue, setCreditAside, settle, settleUpToQuote, useCredit } from './settlement.ts'

/** The name of a late charge; it is what the key facts statement must list (india.md R2). */
export const lateChargeType = 'LATE_PAYMENT_CHARGE'

/** The id of the charge for an instalment paid late. A stored charge with this id replaces the derived one (decision 21). */
export const lateChargeId = (dueDate: string): string => `late:${dueDate}`

/** A fact on its day. On one day: disbursals, rates, charges, waivers, payments, foreclosure waivers, then refunds; what falls due that day comes before them. */
type Event =
  | { day: DayNumber; rank: 0; disbursal: Disbursal }
  | { day: DayNumber; rank: 1; rateChange: RateChange }
  | { day: DayNumber; rank: 2; charge: Charge }
  | { day: DayNumber; rank: 3; waived: Charge }
  | { day: DayNumber; rank: 4; payment: ReceivedPayment }
  | { day: DayNumber; rank: 5; foreclosureWaiver: ForeclosureWaiver }
  | { day: DayNumber; rank: 6; refund: CreditRefund }

const before = (left: Event, right: Event): number => left.day - right.day || left.rank - right.rank

function eventsUpTo(facts: LoanFacts, last: DayNumber): Event[] {
  const events: Event[] = []
  for (const disbursal of facts.disbursals) events.push({ day: dayNumber(disbursal.date), rank: 0, disbursal })
  for (const rateChange of facts.rateChanges) events.push({ day: dayNumber(rateChange.date), rank: 1, rateChange })
  for (const charge of facts.charges) {
    events.push({ day: dayNumber(charge.date), rank: 2, charge })
    if (charge.waivedOn !== null)
      events.push({ day: Math.max(dayNumber(charge.waivedOn), dayNumber(charge.date)), rank: 3, waived: charge })
  }
  for (const payment of facts.payments) events.push({ day: dayNumber(payment.date), rank: 4, payment })
  for (const foreclosureWaiver of facts.foreclosureWaivers)
    events.push({ day: dayNumber(foreclosureWaiver.date), rank: 5, foreclosureWaiver })
  for (const refund of facts.refunds) events.push({ day: dayNumber(refund.date), rank: 6, refund })
  for (let index = 1; index < events.length; index += 1) {
    const left = events[index - 1]
    const right = events[index]
    if (left !== undefined && right !== undefined && before(left, right) > 0) {
      events.sort(before)
      break
    }
  }
  while ((events.at(-1)?.day ?? last) > last) events.pop()
  return events
}

function nextLateCheck(book: Book): DayNumber {
  const rule = book.terms.lateCharge
  if (rule === null || book.closed) return never
  while (book.lateChecked < book.billed) {
    const row = book.rows[book.lateChecked]
    if (row === undefined) return never
    if (rowPending(row) > 0) return row.due + rule.graceDays + 1
    book.lateChecked += 1
  }
  return never
}

/** A fixed charge, on the day after the days of grace, for an instalment still unpaid at their end (decision 21). */
function raiseLateCharge(book: Book, facts: LoanFacts, day: DayNumber): void {
  const row = book.rows[book.lateChecked]
  const rule = book.terms.lateCharge
  book.lateChecked += 1
  if (row === undefined || rule === null) return
  const chargeId = lateChargeId(dayFromNumber(row.due))
  if (day > book.lateChargesUntil || facts.charges.some((charge) => charge.chargeId === chargeId)) return
  book.charges.push({
    chargeId,
    chargeType: lateChargeType,
    day,
    amount: Number(rule.amountPaise),
    paid: 0,
    waived: 0,
    penal: true,
    lateFor: row.due,
  })
}

/** Lets time pass up to and including a day: rows fall due, late charges arise, credit is used for both. */
export function advanceTo(book: Book, facts: LoanFacts, day: DayNumber): void {
  for (;;) {
    const boundary = nextBoundary(book)
    const lateCheck = nextLateCheck(book)
    const next = Math.min(boundary, lateCheck)
    if (next > day) return
    if (boundary === next) passBoundary(book)
    else raiseLateCharge(book, facts, next)
    useCredit(book, next)
    if (book.unbilled > 0) continue
    returnOverpaidInterest(book, next, null)
    useCredit(book, next)
  }
}

/** A loan whose principal was repaid bears nothing until more is disbursed: its periods begin anew that day. */
function reopen(book: Book, day: DayNumber): void {
  book.billed = book.rows.length
  book.closed = false
  // Due days that have passed are left out, also those after the schedule's end: nothing is due before it was disbursed.
  while (dueDayAt(book, book.billed) <= day) book.dueDays.splice(book.billed, 1)
  book.lastRow = Math.max(book.dueDays.length, book.billed + 1)
  openPeriod(book, day, null)
}

function applyDisbursal(book: Book, disbursal: Disbursal, day: DayNumber): void {
  if (!book.started) {
    book.started = true
    openPeriod(book, day, disbursal.date)
  } else if (book.closed || nextBoundary(book) === never) {
    reopen(book, day)
  } else {
    accrueTo(book, day)
  }
  const amount = Number(disbursal.amountPaise)
  book.disbursed += amount
  changePrincipal(book, day, amount)
  if (book.fixedInstalment === 0 || book.instalment === 0) book.replanFrom = day
}

/** Where a day changes the rate and changes it back, the interest of both sides is one piece: the rate of the days did not change (decision 20). */
function applyRateChange(book: Book, { rateChanges }: LoanFacts, change: RateChange, day: DayNumber): void {
  const ofDay = rateChanges.filter(({ date }) => date === change.date)
  if (book.started && change === ofDay[0] && ofDay.at(-1)?.annualRatePpb !== book.annualRatePpb) accrueTo(book, day)
  book.annualRatePpb = change.annualRatePpb
  book.month = monthlyRatio(change.annualRatePpb)
  book.day = dailyRatio(change.annualRatePpb)
  if (!book.started || book.instalment === 0) return
  if (change.keep === 'instalment') {
    book.fitFrom = day
  } else {
    book.fixedInstalment = 0
    book.replanFrom = day
  }
}

function applyCharge(book: Book, charge: Charge, day: DayNumber): void {
  if (isPrepaymentCharge(charge.chargeId)) {
    const isWaived = charge.waivedOn !== null && dayNumber(charge.waivedOn) <= day
    book.storedPrepayment.set(charge.chargeId, isWaived ? 0 : Number(charge.amountPaise))
    return
  }
  const isLate = charge.chargeId.startsWith('late:')
  const entry: BookCharge = {
    chargeId: charge.chargeId,
    chargeType: charge.chargeType,
    day,
    amount: Number(charge.amountPaise),
    paid: 0,
    waived: 0,
    penal: charge.penal,
    lateFor: isLate ? dayNumber(charge.chargeId.slice(5) as Charge['date']) : null,
  }
  book.charges.push(entry)
  if (charge.waivedOn === null || dayNumber(charge.waivedOn) > day) useCredit(book, day)
}

function applyWaiver(book: Book, waived: Charge): void {
  const charge = book.charges.find(({ chargeId }) => chargeId === waived.chargeId)
  if (charge !== undefined) charge.waived += chargePending(charge)
}

function syncPaymentFromProvider(book: Book, payment: ReceivedPayment, day: DayNumber): void {
  const lines: Lines = []
  const held = Number(payment.heldPaise ?? 0n)
  const money = Number(payment.amountPaise) - held
  if (money > 0) waiveLateChargesWithinQuote(book, payment, day)
  const left = money === 0 ? 0 : settlePayment(book, payment, day, money, lines)
  if (left > 0) {
    book.credit += left
    lines.push(allocationLine('excess', null, null, left))
  }
  if (held > 0) {
    book.held += held
    lines.push(allocationLine('held', null, null, held))
  }
  book.allocations.push({ paymentId: payment.paymentId, lines })
  if (book.unbilled > 0 || money === 0) return
  returnOverpaidInterest(book, day, payment.paymentId)
  useCredit(book, day)
}

/** A quote made from 23:30 contains no late charge that arises on its own day: who pays by it in time does not owe that (decision 55). */
function waiveLateChargesWithinQuote(book: Book, { paymentId, quotedAheadFor }: ReceivedPayment, day: DayNumber): void {
  if (quotedAheadFor === undefined || dayNumber(quotedAheadFor) !== day) return
  const lines: Lines = []
  for (const charge of book.charges) {
    const pending = chargePending(charge)
    if (charge.lateFor === null || charge.day !== day || pending === 0) continue
    charge.waived += pending
    lines.push(allocationLine('charge', null, charge.chargeId, pending))
  }
  if (lines.length > 0) book.adjustments.push({ date: dayFromNumber(day), reason: 'late_charge_within_quote', paymentId, lines })
}

function settlePayment(book: Book, payment: ReceivedPayment, day: DayNumber, money: number, lines: Lines): number {
  const quotedFor = payment.quotedAheadFor === undefined ? day : dayNumber(payment.quotedAheadFor)
  return payment.purpose === 'FORECLOSURE'
    ? settleForeclosure(book, payment, day, quotedFor, money, lines)
    : settle(book, payment.purpose, day, quotedFor, money, lines)
}

const payAllOn =
  (book: Book, day: DayNumber): PayAll =>
  (amount, into) =>
    payDue(book, day, never, amount, into)

function settleForeclosure(
  book: Book,
  payment: ReceivedPayment,
  day: DayNumber,
  quotedFor: DayNumber,
  money: number,
  lines: Lines,
): number {
  if (book.closed || !book.started) return settle(book, null, day, day, money, lines)
  const left = settleUpToQuote(book, day, quotedFor, money, lines)
  return foreclose(book, day, payment.paymentId, left, lines, payAllOn(book, day)) ?? settleShortForeclosure(book, day, left, lines)
}

function applyEvent(book: Book, facts: LoanFacts, event: Event): void {
  switch (event.rank) {
    case 0:
      return applyDisbursal(book, event.disbursal, event.day)
    case 1:
      return applyRateChange(book, facts, event.rateChange, event.day)
    case 2:
      return applyCharge(book, event.charge, event.day)
    case 3:
      return applyWaiver(book, event.waived)
    case 4:
      return syncPaymentFromProvider(book, event.payment, event.day)
    case 5:
      return waiveForeclosure(book, event.day, Number(event.foreclosureWaiver.amountPaise), payAllOn(book, event.day))
    case 6:
      book.refundShort += Number(event.refund.amountPaise)
  }
}

const firstDisbursalDate = (terms: LoanTerms, disbursals: readonly Disbursal[]): Day =>
  disbursals.reduce((earliest, { date }) => (date < earliest ? date : earliest), disbursals[0]?.date ?? terms.firstDueDate)

function run(book: Book, facts: LoanFacts, last: DayNumber): Book {
  for (const event of eventsUpTo(facts, last)) {
    advanceTo(book, facts, event.day)
    settlePlanBefore(book, event.day)
    applyEvent(book, facts, event)
    if (book.refundShort > 0) setCreditAside(book)
  }
  advanceTo(book, facts, last)
  settlePlanBefore(book, last)
  return book
}

/**
 * As {@link replay}, for a quote made on the evening before its day: late charges of that day are left out (decision 55).
 *
 * @param madeOn the evening's day.
 */
export function replayQuoted(facts: LoanFacts, last: DayNumber, madeOn: DayNumber): Book {
  const book = openBook(facts.terms, firstDisbursalDate(facts.terms, facts.disbursals))
  book.lateChargesUntil = madeOn
  return run(book, facts, last)
}

/** The book of a loan at a day, with everything of that day, from its facts alone: any back-dated fact takes its place in time. */
export function replay(facts: LoanFacts, last: DayNumber): Book {
  return run(openBook(facts.terms, firstDisbursalDate(facts.terms, facts.disbursals)), facts, last)
}

/**
 * As {@link replay}, writing down how interest up to that day and instalments came about.
 *
 * @param lateChargesUntil the last day on which late charges are raised (decision 55).
 */
export function replayTraced(facts: LoanFacts, last: DayNumber, lateChargesUntil: DayNumber = never): Book {
  const book = openBook(facts.terms, firstDisbursalDate(facts.terms, facts.disbursals))
  book.lateChargesUntil = lateChargesUntil
  book.trace = { pieces: [], plans: [] }
  run(book, facts, last)
  return book
}

/** As {@link replayTraced} and {@link project}. */
export function projectTraced(facts: LoanFacts, last: DayNumber): Book {
  const book = replayTraced(facts, last)
  project(book, last)
  return book
}

/** As {@link replay}, but with the interest that was agreed: as if every row had been paid on its due date. */
export function replayAsAgreed(facts: LoanFacts, last: DayNumber): Book {
  const book = openBook(facts.terms, firstDisbursalDate(facts.terms, facts.disbursals))
  book.projecting = true
  return run(book, facts, last)
}

/** Lets the rest of the schedule run as if nothing more happened and all that is due were paid. The book then knows every row. */
export function project(book: Book, from: DayNumber): void {
  if (book.byDays && book.unpaidPrincipal > 0) accrueTo(book, from)
  book.projecting = true
  while (nextBoundary(book) !== never) passBoundary(book)
}

/** The whole schedule as it was agreed: every tranche on its day, every row paid on its due date. */
export function planAsAgreed(terms: LoanTerms, disbursals: readonly Disbursal[]): Book {
  const facts: LoanFacts = {
    sanctionedPaise: sumPaise(disbursals.map(({ amountPaise }) => amountPaise)),
    terms: { ...terms, lateCharge: null },
    disbursals,
    rateChanges: [],
    charges: [],
    payments: [],
    refunds: [],
    foreclosureWaivers: [],
  }
  const last = Math.max(...disbursals.map(({ date }) => dayNumber(date)))
  const book = replayAsAgreed(facts, last)
  project(book, last)
  return book
}
