import type { Day } from './calendar.ts'
import { addDays, addMonths, dayOfMonth, toDay } from './calendar.ts'
import { foreclosureWaiveOn } from './foreclosure-waive.ts'
import { loanStateAtEndOf, loanStateQuoted } from './loan-state.ts'
import { lateChargeDueDate } from './loans.ts'
import type { Charge, LoanFacts, LoanTerms, LateChargeHold, RateChange, ReceivedPayment } from './loans.ts'
import type { Paise } from './money.ts'
import { paise, rupeesToPaise } from './money.ts'
import type { PaymentPurpose } from './payments.ts'
import { disbursalRecordedOn, withDisbursal } from './tranches.ts'

/** Whole numbers below a bound, the same sequence for the same seed (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

type Draw = (below: number) => number

const pick = <Item>(draw: Draw, items: readonly [Item, ...Item[]]): Item => items[draw(items.length)] ?? items[0]

const paiseBelow = (draw: Draw, rupees: number): Paise => paise(BigInt(1 + draw(rupees * 100)))

function randomTerms(draw: Draw, first: Day): LoanTerms {
  const instalments = 1 + draw(pick(draw, [6, 14, 30]))
  const firstDueDate = pick(draw, [addMonths(first, 1), addMonths(first, 1), addDays(first, 1 + draw(50))])
  const isOnDueDay = draw(8) > 0
  const dueDayOfFirst = dayOfMonth(firstDueDate) >= 28 && draw(2) === 0 ? 31 : dayOfMonth(firstDueDate)
  const isWaiting = draw(6) === 0
  return {
    annualRatePpb: pick(draw, [0, 90_000_000, 112_500_000, 120_000_000, 87_654_321, 365_000_000]),
    instalments,
    firstDueDate,
    dueDay: isOnDueDay ? dueDayOfFirst : 1 + draw(31),
    interest: pick(draw, ['monthly', 'actual_365']),
    instalmentRounding: pick(draw, ['rupee_up', 'rupee_half_even', 'paisa_up', 'paisa_half_even']),
    principalGraceInstalments: draw(5) === 0 ? draw(instalments) : 0,
    fixedInstalmentPaise: draw(8) === 0 ? paiseBelow(draw, 20_000) : null,
    moratorium: isWaiting ? { until: addDays(first, 1 + draw(200)), interest: pick(draw, ['paid', 'deferred']) } : null,
    allocation: pick(draw, ['instalments_first', 'charges_first']),
    lateCharge: draw(3) === 0 ? { graceDays: draw(6), amountPaise: rupeesToPaise(500) } : null,
    prepaymentCharge: draw(4) === 0 ? { ratePpb: 20_000_000, taxRatePpb: 180_000_000 } : null,
    partPaymentMinimumPaise: null,
    linkMaximumPaise: rupeesToPaise(500_000),
    foreclosureWaiveMaximumPaise: rupeesToPaise(500_000),
  }
}

const purposes = [
  null,
  null,
  'PAY_EMI',
  'PAY_EMI',
  'PAY_EMI',
  'OVERDUE',
  'OVERDUE',
  'PART_PAYMENT__REDUCE_EMI',
  'PART_PAYMENT__REDUCE_TENOR',
  'FORECLOSURE',
] as const satisfies readonly (PaymentPurpose | null)[]

/** Usually an amount that the loan's quote for a day offers for the purpose. */
function amountFor(draw: Draw, facts: LoanFacts, quoted: { on: Day; for: Day }, purpose: PaymentPurpose | null): Paise {
  const { allowed, duesPaise, instalmentPaise } = loanStateQuoted(facts, quoted.for, quoted.on)
  const some = paiseBelow(draw, 5000)
  if (draw(6) === 0) return some
  const fitting: Record<PaymentPurpose, Paise> = {
    PAY_EMI: allowed.nextEmi?.amountPaise ?? some,
    OVERDUE: allowed.overdue.amountPaise,
    FORECLOSURE: allowed.foreclosure?.amountPaise ?? some,
    PART_PAYMENT__REDUCE_EMI: paise(
      allowed.partPayment.minPaise + BigInt(draw(Number(allowed.partPayment.maxPaise - allowed.partPayment.minPaise) + 1)),
    ),
    PART_PAYMENT__REDUCE_TENOR: paise(
      allowed.partPayment.minPaise + BigInt(draw(Number(allowed.partPayment.maxPaise - allowed.partPayment.minPaise) + 1)),
    ),
  }
  const amount = purpose === null ? pick(draw, [duesPaise, instalmentPaise]) : fitting[purpose]
  return amount > 0n ? amount : some
}

/** Sometimes a payment is refunded: in full, as a second capture is, or in part. */
function heldAmount(draw: Draw, amountPaise: Paise): Pick<ReceivedPayment, 'amountPaise' | 'heldPaise'> {
  if (draw(8) > 0) return { amountPaise }
  return { amountPaise, heldPaise: draw(2) === 0 ? amountPaise : paise(BigInt(draw(Number(amountPaise) + 1))) }
}

export type RandomLoan = { facts: LoanFacts; last: Day }

/**
 * A random loan and its facts, the same for the same seed. `events` is the maximum number of
 * events. `resets`: the rate changes often, in all three ways.
 */
export function randomLoan(seed: number, events = 20, resets = false): RandomLoan {
  const draw = randomNumbers(seed)
  const drawReset = randomNumbers(seed ^ 0x2c1b_3c6d)
  // Later additions draw from their own numbers, so that the loan of a seed changes as little as
  // possible.
  const drawMore = randomNumbers(seed ^ 0x5bd1_e995)
  const first = addDays(toDay('2021-01-01'), draw(1500))
  const terms = randomTerms(draw, first)
  const first_amount = paise(BigInt(100_000 + draw(pick(draw, [1_000_000, 100_000_000, 2_000_000_000]))))
  let facts: LoanFacts = {
    sanctionedPaise: paise(10n ** 14n),
    terms,
    disbursals: [{ date: first, amountPaise: first_amount }],
    rateChanges: [],
    charges: [],
    payments: [],
    refunds: [],
    foreclosureWaivers: [],
  }
  let date = first
  const count = draw(events + 1)
  for (let index = 0; index < count; index += 1) {
    date = addDays(date, pick(draw, [0, 1, 5, 17, 30, 31]) + draw(9))
    facts = writeOff(drawMore, facts, date, index)
    if (resets && drawReset(3) > 0) facts = reset(drawReset, facts, date)
    const changed = happen(draw, drawMore, facts, date, index)
    facts = changed.facts
    date = changed.date
  }
  const last = addDays(date, draw(60))
  const presented = presentDebits(randomNumbers(seed ^ 0x1f83_d9ab), facts, last)
  return { facts: waiveLateCharges(randomNumbers(seed ^ 0x3a91_c0de), presented, last), last }
}

/**
 * Some late charges were waived, whole or in part. Usually a payment recorded later then shows that
 * their instalments were paid in time. Neither may have closed the loan before it grew.
 */
function waiveLateCharges(draw: Draw, facts: LoanFacts, last: Day): LoanFacts {
  const waived = loanStateAtEndOf(facts, last).derivedCharges.flatMap((charge): Charge[] => {
    const waivedOn = addDays(charge.date, draw(30))
    if (draw(2) === 0 || waivedOn > last || lateChargeDueDate(charge.chargeId) === null) return []
    const part = paise((charge.amountPaise * BigInt(1 + draw(100))) / 100n)
    return [{ ...charge, waivedOn, waivedPaise: draw(2) === 0 ? charge.amountPaise : part }]
  })
  const [first] = waived
  const withWaivers = { ...facts, charges: [...facts.charges, ...waived] }
  if (first === undefined || !couldGrow(withWaivers)) return facts
  const late: ReceivedPayment = {
    paymentId: 'late',
    date: addDays(first.date, -1 - draw(30)),
    amountPaise: paiseBelow(draw, draw(2) === 0 ? 20_000 : 2_000_000),
    purpose: pick(draw, [null, 'FORECLOSURE']),
  }
  const [before, after] = [facts.payments.filter(({ date }) => date <= late.date), facts.payments.filter(({ date }) => date > late.date)]
  const known = { ...withWaivers, payments: [...before, late, ...after] }
  const isAfterDisbursal = facts.disbursals.some(({ date }) => date <= late.date)
  return isAfterDisbursal && couldGrow(known) ? known : withWaivers
}

/**
 * Some loans have debits around their due dates: known at once, late, twice, or not yet. A loan
 * keeps none if the late charges that they take back would have closed it before it grew.
 */
function presentDebits(draw: Draw, facts: LoanFacts, last: Day): LoanFacts {
  if (draw(3) > 0) return facts
  const dueDates = loanStateAtEndOf(facts, last).rows.map(({ dueDate }) => dueDate)
  const lateChargeHolds = dueDates.flatMap((dueDate, index): LateChargeHold[] => {
    if (dueDate > last || draw(3) > 0) return []
    const from = addDays(dueDate, draw(6))
    const until = draw(5) === 0 ? null : addDays(from, draw(9))
    // Money that was taken back, up to three months later.
    if (draw(6) === 0) {
      const takenBack: ReceivedPayment = {
        paymentId: `taken-back:${dueDate}`,
        date: draw(4) === 0 ? addDays(from, -draw(5)) : from,
        amountPaise: paise(BigInt(1 + draw(3_000_000))),
        purpose: pick(draw, [null, null, 'PAY_EMI', 'FORECLOSURE', 'PART_PAYMENT__REDUCE_EMI'] as const),
      }
      const isAfterDisbursal = facts.disbursals.some(({ date }) => date <= takenBack.date)
      return isAfterDisbursal ? [{ from, until: addDays(from, draw(100)), takenBack, isReversed: true }] : []
    }
    const one = { from, until, dueDates: draw(3) === 0 ? dueDates.slice(Math.max(0, index - 1), index + 1) : [dueDate] }
    return draw(4) === 0 ? [one, { ...one, from: addDays(from, 3), until: addDays(from, 3 + draw(9)) }] : [one]
  })
  const presented = { ...facts, lateChargeHolds }
  return lateChargeHolds.length > 0 && couldGrow(presented) ? presented : facts
}

/** Whether every later disbursal and every change of the rate was possible on its day. */
function couldGrow(facts: LoanFacts): boolean {
  const [, ...later] = facts.disbursals
  return [...later, ...facts.rateChanges].every(({ date }) => {
    const isBefore = (fact: { date: Day }): boolean => fact.date < date
    const before = { ...facts, disbursals: facts.disbursals.filter(isBefore), rateChanges: facts.rateChanges.filter(isBefore) }
    return before.disbursals.length === 0 || canGrow(before, date)
  })
}

const resetRates = [0, 60_000_000, 95_000_000, 131_313_131, 180_000_000] as const

/** Usually an instalment near the one in force, sometimes one that does not repay the loan. */
function reset(draw: Draw, facts: LoanFacts, date: Day): LoanFacts {
  if (facts.rateChanges.some((change) => change.date === date) || !canGrow(facts, date)) return facts
  const rate = { date, annualRatePpb: pick(draw, resetRates) }
  const { nextInstalmentPaise, principalOutstandingPaise } = loanStateAtEndOf(facts, date)
  const near = nextInstalmentPaise > 0n ? nextInstalmentPaise : principalOutstandingPaise / 10n
  const given = paise(1n + (near * BigInt(draw(4) === 0 ? draw(300) : 70 + draw(60))) / 100n)
  const change: RateChange =
    draw(2) === 0 ? { ...rate, keep: pick(draw, ['instalment', 'tenor']) } : { ...rate, keep: 'both', instalmentPaise: given }
  return { ...facts, rateChanges: [...facts.rateChanges, change] }
}

/**
 * After a short foreclosure, sometimes the rest is written off, or too little to close the loan.
 */
function writeOff(draw: Draw, facts: LoanFacts, date: Day, index: number): LoanFacts {
  const { amountPaise, refusal } = foreclosureWaiveOn(facts, date)
  if (refusal === 'no_short_foreclosure' || refusal === 'nothing_left' || draw(3) > 0) return facts
  const decided = draw(4) === 0 ? paise(1n + (amountPaise * BigInt(draw(100))) / 100n) : amountPaise
  return { ...facts, foreclosureWaivers: [...facts.foreclosureWaivers, { waiverId: `w${index}`, date, amountPaise: decided }] }
}

/**
 * Some payments by link are made at 23:40: by a quote for the next day, begun before or after
 * midnight (decision 55).
 */
function quoteAt(draw: Draw, date: Day, purpose: PaymentPurpose | null): { on: Day; for: Day; paidOn: Day } {
  if (purpose === null || draw(6) > 0) return { on: date, for: date, paidOn: date }
  const next = addDays(date, 1)
  return { on: date, for: next, paidOn: draw(2) === 0 ? date : next }
}

/** Some foreclosures are short, by a little or by a lot. */
function shortened(draw: Draw, purpose: PaymentPurpose | null, amountPaise: Paise): Paise {
  if (purpose !== 'FORECLOSURE' || draw(3) > 0) return amountPaise
  const short = draw(2) === 0 ? 1 + draw(60_000) : draw(Number(amountPaise))
  return short < Number(amountPaise) ? paise(amountPaise - BigInt(short)) : amountPaise
}

/**
 * True if principal is outstanding and a row is due later: more can be disbursed, and the rate can
 * change.
 */
function canGrow(facts: LoanFacts, date: Day): boolean {
  const state = loanStateAtEndOf(facts, date)
  return state.principalOutstandingPaise > 0n && state.rows.some((row) => row.dueDate > date)
}

function happen(draw: Draw, drawMore: Draw, facts: LoanFacts, date: Day, index: number): { facts: LoanFacts; date: Day } {
  const kind = draw(20)
  const isPayment = kind > 3 || (kind === 0 && !canGrow(facts, date))
  if (!isPayment) return { facts: happenBesidePayments(draw, drawMore, kind, facts, date, index), date }
  const purpose = pick(draw, purposes)
  const quote = quoteAt(drawMore, date, purpose)
  const amountPaise = shortened(drawMore, purpose, amountFor(draw, facts, quote, purpose))
  const payment: ReceivedPayment = {
    paymentId: `p${index}`,
    date: quote.paidOn,
    ...heldAmount(draw, amountPaise),
    purpose,
    ...(quote.for > quote.on && { quotedAheadFor: quote.for }),
  }
  return { facts: { ...facts, payments: [...facts.payments, payment] }, date: quote.paidOn }
}

function happenBesidePayments(draw: Draw, drawMore: Draw, kind: number, facts: LoanFacts, date: Day, index: number): LoanFacts {
  const state = loanStateAtEndOf(facts, date)
  if (kind === 0) {
    const amountPaise = paiseBelow(draw, 50_000)
    // Sometimes it becomes known up to three months late.
    const early = addDays(date, drawMore(3) === 0 ? -drawMore(90) : 0)
    return withDisbursal(facts, disbursalRecordedOn(facts, canGrow(facts, early) ? early : date, amountPaise, date))
  }
  if (kind === 1) {
    const change: RateChange = {
      date,
      annualRatePpb: pick(draw, [100_000_000, 95_000_000, 131_313_131]),
      keep: pick(draw, ['instalment', 'tenor']),
    }
    return canGrow(facts, date) ? { ...facts, rateChanges: [...facts.rateChanges, change] } : facts
  }
  if (kind === 2) {
    const amountPaise = paiseBelow(draw, 500)
    const penal = draw(2) === 0
    const waivedOn = draw(3) === 0 ? addDays(date, draw(40)) : null
    const charge: Charge = {
      chargeId: `c${index}`,
      date,
      chargeType: 'BOUNCE_CHARGE',
      amountPaise,
      penal,
      waivedOn,
      // Sometimes a part was paid before the decision.
      ...(waivedOn !== null && amountPaise % 2n === 0n && { waivedPaise: paise((amountPaise * 2n) / 5n + 1n) }),
    }
    return { ...facts, charges: [...facts.charges, charge] }
  }
  // Usually the available credit, sometimes more: a fact that became known later used it.
  const credit = state.creditPaise > 0n ? paise(BigInt(1 + draw(Number(state.creditPaise)))) : paiseBelow(draw, 500)
  return {
    ...facts,
    refunds: [...facts.refunds, { refundId: `r${index}`, date, amountPaise: draw(6) === 0 ? paise(credit * 3n) : credit }],
  }
}
