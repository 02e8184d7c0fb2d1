import type { Day } from '#domain/calendar.ts'
import { byDate, dayOfMonth, parseDay } from '#domain/calendar.ts'
import { givenInstalmentFault } from '#domain/given-instalment.ts'
import { factsFault } from '#domain/loan-facts.ts'
import { withinOneLink } from '#domain/link-limit.ts'
import { loanPlanAtEndOf, loanStateAtEndOf } from '#domain/loan-state.ts'
import type { Charge, Disbursal, LoanFacts, LoanState, LoanTerms, RateChange, ReceivedPayment, ScheduleRow } from '#domain/loans.ts'
import { maximumInstalments, sumPendingByType } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import { paiseToRupees, parseRupees, rupeesToPaise, sumPaise, zeroPaise } from '#domain/money.ts'
import { paymentPurposes } from '#domain/payments.ts'
import { parsePercent } from '#domain/rates.ts'
import { Field, ScheduleInputError } from './fields.ts'

export { ScheduleInputError }

/** Default maximum of one payment link (decision 9). */
const linkMaximumPaise = rupeesToPaise(500_000)
const longestMonth = 31

function readDay(field: Field): Day {
  const text = field.text()
  return parseDay(text) ?? field.refuse(`${JSON.stringify(text)} is not a date YYYY-MM-DD`)
}

function readAmount(field: Field): Paise {
  const amount = parseRupees(field.number()) ?? field.refuse('must be rupees with at most two decimals')
  return amount > zeroPaise ? amount : field.refuse('must be more than 0')
}

/** A rate in percent with at most seven decimals, in parts per billion. */
function readRate(field: Field): number {
  return parsePercent(String(field.number())) ?? field.refuse('must be from 0 to 1000 percent, with at most seven decimals')
}

const readDisbursal = (field: Field): Disbursal => ({ date: readDay(field.get('date')), amountPaise: readAmount(field.get('amount')) })

function readRateChange(field: Field): RateChange {
  const rate = { date: readDay(field.get('date')), annualRatePpb: readRate(field.get('annual_rate_percent')) }
  const keep = field.get('keep').oneOf(['instalment', 'tenor', 'both'])
  const instalment = field.get('instalment')
  if (keep === 'both') return { ...rate, keep, instalmentPaise: readAmount(instalment) }
  return instalment.isAbsent ? { ...rate, keep } : instalment.refuse(`is given only if keep is "both", not ${JSON.stringify(keep)}`)
}

const readCharge = (field: Field, index: number): Charge => ({
  chargeId: `charge:${index + 1}`,
  date: readDay(field.get('date')),
  chargeType: field.get('charge_type').text(),
  amountPaise: readAmount(field.get('amount')),
  penal: false,
  waivedOn: null,
})

function readPayment(field: Field, index: number): ReceivedPayment {
  field.get('type').oneOf(['payment'])
  const purpose = field.get('purpose')
  return {
    paymentId: `event:${index + 1}`,
    date: readDay(field.get('date')),
    amountPaise: readAmount(field.get('amount')),
    purpose: purpose.isAbsent ? null : purpose.oneOf(paymentPurposes),
  }
}

function readMoratorium(field: Field): LoanTerms['moratorium'] {
  return field.isAbsent ? null : { until: readDay(field.get('until')), interest: field.get('interest').oneOf(['paid', 'deferred']) }
}

function readTerms(loan: Field): LoanTerms {
  const firstDueDate = readDay(loan.get('first_due_date'))
  const instalments = loan.get('instalments').whole(1, maximumInstalments)
  const fixed = loan.get('fixed_instalment')
  return {
    annualRatePpb: readRate(loan.get('annual_rate_percent')),
    instalments,
    firstDueDate,
    dueDay: loan.get('due_day').wholeOr(1, longestMonth, dayOfMonth(firstDueDate)),
    interest: loan.get('interest').oneOf(['monthly', 'actual_365'], 'monthly'),
    instalmentRounding: loan.get('instalment_rounding').oneOf(['rupee_half_even', 'rupee_up', 'paisa_half_even', 'paisa_up'], 'rupee_up'),
    principalGraceInstalments: loan.get('principal_grace_instalments').wholeOr(0, instalments - 1, 0),
    fixedInstalmentPaise: fixed.isAbsent ? null : readAmount(fixed),
    moratorium: readMoratorium(loan.get('moratorium')),
    allocation: loan.get('allocation').oneOf(['instalments_first', 'charges_first'], 'instalments_first'),
    lateCharge: null,
    prepaymentCharge: null,
    partPaymentMinimumPaise: null,
    linkMaximumPaise,
    foreclosureWaiveMaximumPaise: zeroPaise,
  }
}

function readFacts(loan: Field): LoanFacts {
  const listed = loan.get('disbursals')
  const disbursals = listed.list().map(readDisbursal).toSorted(byDate)
  if (disbursals.length === 0) listed.refuse('must hold at least one disbursal')
  return {
    sanctionedPaise: sumPaise(disbursals.map(({ amountPaise }) => amountPaise)),
    terms: readTerms(loan),
    disbursals,
    rateChanges: loan.get('rate_changes').listOrNone().map(readRateChange).toSorted(byDate),
    charges: loan.get('charges').listOrNone().map(readCharge).toSorted(byDate),
    payments: loan.get('events').listOrNone().map(readPayment).toSorted(byDate),
    refunds: [],
    foreclosureWaivers: [],
  }
}

/**
 * Contradictions between fields. Payments that do not fit the loan are no input error: they make it
 * UNKNOWN.
 */
function refuseImpossible(loan: Field, facts: LoanFacts): void {
  const first = facts.disbursals[0]?.date
  const last = facts.disbursals.at(-1)?.date
  if (first === undefined || last === undefined) return
  if (facts.terms.firstDueDate <= first) loan.get('first_due_date').refuse(`must be after the first disbursal, ${first}`)
  if (facts.terms.moratorium !== null && facts.terms.moratorium.until <= first)
    loan.get('moratorium').get('until').refuse(`must be after the first disbursal, ${first}`)
  const fault = factsFault({ ...facts, payments: [], charges: [] }, last)
  if (fault !== null) loan.refuse(fault)
  for (const field of loan.get('rate_changes').listOrNone()) {
    const why = givenInstalmentFault(facts, readRateChange(field))
    if (why !== null) field.get('instalment').refuse(why)
  }
}

const shownRow = (row: ScheduleRow): Record<string, unknown> => ({
  due_date: row.dueDate,
  repayment_amount: paiseToRupees(row.repaymentAmountPaise),
  principal_amount: paiseToRupees(row.principalPaise),
  interest_amount: paiseToRupees(row.interestPaise),
  total_charges: sumPendingByType(row).map(([charge_type, pending]) => ({ charge_type, total_pending_amount: paiseToRupees(pending) })),
  closing_balance: paiseToRupees(row.closingBalancePaise),
  status: row.status,
})

function shownAllowed({ allowed }: LoanState): Record<string, unknown> {
  const { overdue, nextEmi, foreclosure, partPayment } = withinOneLink(allowed)
  return {
    overdue_payment: { amount: paiseToRupees(overdue.amountPaise), dpd: overdue.dpd },
    ...(nextEmi === null ? {} : { next_emi_payment: { amount: paiseToRupees(nextEmi.amountPaise), due_date: nextEmi.dueDate } }),
    ...(foreclosure === null
      ? {}
      : { foreclosure_payment: { amount: paiseToRupees(foreclosure.amountPaise), isLimited: foreclosure.isLimited } }),
    part_payment: { min_allowed_amount: paiseToRupees(partPayment.minPaise), max_allowed_amount: paiseToRupees(partPayment.maxPaise) },
  }
}

function computeLoan(loan: Field, readToday: () => Day): Record<string, unknown> {
  const facts = readFacts(loan)
  refuseImpossible(loan, facts)
  const asked = loan.get('as_of')
  const asOf = asked.isAbsent ? readToday() : readDay(asked)
  const first = facts.disbursals[0]?.date ?? asOf
  // A future loan is shown as of its first day.
  const day = asOf < first ? first : asOf
  const state = loanStateAtEndOf(facts, day)
  // Without payments and `as_of`, the rows are those of the agreed schedule, not those after years
  // without a payment.
  const { instalmentPaise, rows } = asked.isAbsent && facts.payments.length === 0 ? loanPlanAtEndOf(facts, day) : state
  return {
    instalment: paiseToRupees(instalmentPaise),
    rows: rows.map(shownRow),
    dues: paiseToRupees(state.duesPaise),
    dpd: state.dpd,
    loan_status: state.status,
    allowed_payments: shownAllowed(state),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ScheduleInputError('the input is not JSON')
  }
}

/**
 * `kist schedule`: a loan, or an array of loans, as JSON text in; its computed state at the end of
 * `as_of` as JSON text out, with the names and meanings of the wire. Throws
 * {@link ScheduleInputError}, whose one line names field and fault.
 *
 * @param readToday reads the default of `as_of`; called once, and only if a loan has none.
 */
export function scheduleCommand(jsonText: string, readToday: () => Day): string {
  const input = parseJson(jsonText)
  let day: Day | undefined
  const today = () => (day ??= readToday())
  if (!Array.isArray(input)) return `${JSON.stringify(computeLoan(new Field('', input), today), null, 2)}\n`
  const states = input.map((loan, index) => JSON.stringify(computeLoan(new Field(`[${index}]`, loan), today)))
  return states.length === 0 ? '[]\n' : `[\n${states.join(',\n')}\n]\n`
}
