import { accrueTo } from './billing.ts'
import type { Day } from './calendar.ts'
import { dayFromNumber, dayNumber } from './calendar.ts'
import { payoffOn, prepaymentChargeType, prepaymentTaxType } from './foreclosure.ts'
import type { LoanReplay, ReplayRow, TracedPiece } from './replay-state.ts'
import { chargePending, never, rowPending } from './replay-state.ts'
import { loanStateQuoted } from './loan-state.ts'
import type { AllocationLine, LoanFacts, LoanState, LoanTerms, RatePpb, ScheduleRow } from './loans.ts'
import type { Paise } from './money.ts'
import { paiseFromWhole } from './money.ts'
import { projectLoanTraced, replayLoan } from './replay.ts'
import { instalmentPending } from './schedule.ts'

/**
 * A figure that can be explained: an instalment by its number, or one of the loan's figures on a
 * day.
 */
export type ExplainedFigure =
  | { figure: 'row'; number: number }
  | { figure: 'dues' }
  | { figure: 'dpd' }
  | { figure: 'instalment' }
  | { figure: 'foreclosure' }

/**
 * One step of an explanation, in order. The amounts of steps with `adds: true` sum to the figure.
 */
export type ExplanationStep =
  | {
      step: 'interest'
      adds: true
      from: Day
      to: Day
      days: number
      balancePaise: Paise
      annualRatePpb: RatePpb
      /**
       * A whole month bears r/12, a part of a month its share by days, any other period its days of
       * a year of 365 (decision 20).
       */
      basis: 'whole_month' | 'part_of_month' | 'days_of_year'
      monthDays: number | null
      amountPaise: Paise
    }
  | { step: 'interest_set_right'; adds: true; amountPaise: Paise }
  | { step: 'principal'; adds: true; why: 'rest_of_instalment' | 'last_row' | 'interest_only' | 'changed' | 'not_due'; amountPaise: Paise }
  | {
      step: 'instalment'
      adds: false
      principalPaise: Paise
      annualRatePpb: RatePpb
      instalments: number
      rounding: LoanTerms['instalmentRounding']
      isFixed: boolean
      /** True if a rate change gave the instalment. */
      isGiven: boolean
      /** Whether it was computed with r/12 or with 30 days of 365 (decision 20). */
      basis: 'whole_month' | 'days_of_year'
      amountPaise: Paise
    }
  | { step: 'row'; adds: true; number: number; dueDate: Day; amountPaise: Paise }
  | { step: 'charge'; adds: true; chargeType: string; amountPaise: Paise }
  | { step: 'received'; adds: false; paymentId: string; date: Day; component: AllocationLine['component']; amountPaise: Paise }
  | { step: 'oldest_unpaid'; adds: false; number: number; dueDate: Day; asOf: Day }
  | { step: 'credit'; adds: true; amountPaise: Paise }

/** `amountPaise` is null if the figure is a number of days. */
type Explanation = { amountPaise: Paise | null; days: number | null; steps: readonly ExplanationStep[] }

function basisOf(piece: TracedPiece): 'whole_month' | 'part_of_month' | 'days_of_year' {
  if (piece.periodDays === 0) return 'days_of_year'
  return piece.periodDays === piece.to - piece.from ? 'whole_month' : 'part_of_month'
}

const interestStep = (piece: TracedPiece): ExplanationStep => ({
  step: 'interest',
  adds: true,
  from: dayFromNumber(piece.from),
  to: dayFromNumber(piece.to),
  days: piece.to - piece.from,
  balancePaise: paiseFromWhole(piece.balance),
  annualRatePpb: piece.annualRatePpb,
  basis: basisOf(piece),
  monthDays: piece.periodDays === 0 ? null : piece.periodDays,
  amountPaise: paiseFromWhole(piece.interest),
})

function whyPrincipal(row: ReplayRow, isLast: boolean): 'rest_of_instalment' | 'last_row' | 'interest_only' | 'changed' {
  if (row.instalment === 0 && !isLast) return 'interest_only'
  if (row.principal + row.interest === row.instalment) return 'rest_of_instalment'
  return isLast ? 'last_row' : 'changed'
}

function instalmentStep(loan: LoanReplay, row: number): ExplanationStep[] {
  const due = loan.rows[row]?.due
  // A bill that stays was computed before the disbursal that the plan contains.
  if (due !== undefined && loan.keptRows.has(due)) return []
  const plan = loan.trace?.plans.findLast((candidate) => candidate.row <= row)
  // Rows that bill interest or the rest have no instalment of their own.
  if (plan === undefined || plan.instalment === 0) return []
  const { principal, annualRatePpb, rows, instalment, isFixed, isGiven } = plan
  return [
    {
      step: 'instalment',
      adds: false,
      principalPaise: paiseFromWhole(principal),
      annualRatePpb,
      instalments: rows,
      rounding: loan.terms.instalmentRounding,
      isFixed,
      isGiven,
      basis: loan.terms.interest === 'actual_365' ? 'days_of_year' : 'whole_month',
      amountPaise: paiseFromWhole(instalment),
    },
  ]
}

function receivedSteps(facts: LoanFacts, state: LoanState, number: number): ExplanationStep[] {
  return state.allocations.flatMap(({ paymentId, lines }) => {
    const date = facts.payments.find((payment) => payment.paymentId === paymentId)?.date
    return lines.flatMap(({ instalmentNumber, component, amountPaise }) =>
      instalmentNumber === number && date !== undefined
        ? [{ step: 'received' as const, adds: false as const, paymentId, date, component, amountPaise }]
        : [],
    )
  })
}

/** A step for an amount. No step for zero. */
const stepForAmount = (amount: number, step: (amountPaise: Paise) => ExplanationStep): ExplanationStep[] =>
  amount === 0 ? [] : [step(paiseFromWhole(amount))]

const chargeStep = (chargeType: string, amount: number): ExplanationStep[] =>
  stepForAmount(amount, (amountPaise) => ({ step: 'charge', adds: true, chargeType, amountPaise }))

const rowStep = (number: number, dueDate: Day, amountPaise: Paise): ExplanationStep => ({
  step: 'row',
  adds: true,
  number,
  dueDate,
  amountPaise,
})

/** The next open row corrects what rows paid ahead billed too much or too little (decision 25). */
function interestCorrection(interest: number, pieces: readonly TracedPiece[]): ExplanationStep[] {
  const run = pieces.reduce((sum, piece) => sum + piece.interest, 0)
  return stepForAmount(interest - run, (amountPaise) => ({ step: 'interest_set_right', adds: true, amountPaise }))
}

function explainRow(facts: LoanFacts, day: Day, state: LoanState, number: number): Explanation | null {
  const loan = projectLoanTraced(facts, dayNumber(day))
  const row = loan.rows[number - 1]
  if (row === undefined) return null
  // A foreclosure bills interest that was deferred until then in the first row.
  const isDeferredBilled = number === 1 && loan.isClosed && loan.capitalised === 0
  const isOfRow = (piece: TracedPiece): boolean => piece.row === number - 1 || (piece.row === -1 && isDeferredBilled)
  const pieces = loan.trace?.pieces.filter(isOfRow) ?? []
  const steps: ExplanationStep[] = [
    ...instalmentStep(loan, number - 1),
    ...pieces.map(interestStep),
    ...interestCorrection(row.interest, pieces),
  ]
  steps.push({
    step: 'principal',
    adds: true,
    why: whyPrincipal(row, number === loan.rows.length),
    amountPaise: paiseFromWhole(row.principal),
  })
  return {
    amountPaise: paiseFromWhole(row.interest + row.principal),
    days: null,
    steps: [...steps, ...receivedSteps(facts, state, number)],
  }
}

const chargeSteps = (rows: readonly ScheduleRow[]): ExplanationStep[] =>
  rows.flatMap(({ charges }) =>
    charges.map(({ chargeType, pendingPaise }) => ({ step: 'charge', adds: true, chargeType, amountPaise: pendingPaise })),
  )

function explainDues(state: LoanState, day: Day): Explanation {
  const due = state.rows.filter((row) => row.dueDate <= day && instalmentPending(row) > 0n)
  const rows = due.map((row) => rowStep(row.number, row.dueDate, instalmentPending(row)))
  return { amountPaise: state.duesPaise, days: null, steps: [...rows, ...chargeSteps(state.rows)] }
}

function explainDpd(state: LoanState, day: Day): Explanation {
  const oldest = state.dpd === 0 ? undefined : state.rows.find(({ status }) => status === 'Late')
  return {
    amountPaise: null,
    days: state.dpd,
    steps: oldest === undefined ? [] : [{ step: 'oldest_unpaid', adds: false, number: oldest.number, dueDate: oldest.dueDate, asOf: day }],
  }
}

/**
 * First what has fallen due, then the rest: principal, and its interest from the last due date to
 * the day.
 */
function explainForeclosure(facts: LoanFacts, day: Day, madeOn: Day, state: LoanState): Explanation | null {
  const { foreclosure } = state.allowed
  if (foreclosure === null) return null
  const today = dayNumber(day)
  const loan = replayLoan(facts, today, { lateChargesUntil: madeOn < day ? dayNumber(madeOn) : never, isTraced: true })
  accrueTo(loan, today)
  const payoff = payoffOn(loan, today)
  const openRow = loan.deferral === null ? loan.billedRows : -1
  const pieces = loan.trace?.pieces.filter(({ row }) => row === openRow) ?? []
  const rows = loan.rows.slice(0, loan.billedRows).filter((row) => rowPending(row) > 0)
  const steps: ExplanationStep[] = [
    ...rows.map((row) => rowStep(row.number, dayFromNumber(row.due), paiseFromWhole(rowPending(row)))),
    ...stepForAmount(payoff.unbilledPrincipal, (amountPaise) => ({ step: 'principal', adds: true, why: 'not_due', amountPaise })),
    ...pieces.map(interestStep),
    ...interestCorrection(payoff.accruedInterest - payoff.rebate, pieces),
    ...loan.charges.flatMap((charge) => chargeStep(charge.chargeType, chargePending(charge))),
    ...chargeStep(prepaymentChargeType, payoff.prepaymentCharge),
    ...chargeStep(prepaymentTaxType, payoff.prepaymentTax),
    ...stepForAmount(-payoff.credit, (amountPaise) => ({ step: 'credit', adds: true, amountPaise })),
  ]
  return { amountPaise: foreclosure.amountPaise, days: null, steps }
}

function explainInstalment(facts: LoanFacts, day: Day, state: LoanState): Explanation {
  const next = state.rows.find(({ status }) => status === 'Due') ?? state.rows.at(-1)
  const loan = projectLoanTraced(facts, dayNumber(day))
  const steps = instalmentStep(loan, (next?.number ?? 1) - 1)
  const row = steps.length === 0 && next !== undefined ? explainRow(facts, day, state, next.number) : null
  return { amountPaise: state.instalmentPaise, days: null, steps: row?.amountPaise === state.instalmentPaise ? row.steps : steps }
}

/**
 * The ordered steps that lead to a figure of the loan during a day. Null if there is no such figure
 * or the loan's state is unknown.
 *
 * @param madeOn the day on which a quote for the day is made (decision 55).
 */
export function explain(facts: LoanFacts, day: Day, what: ExplainedFigure, madeOn: Day = day): Explanation | null {
  const state = loanStateQuoted(facts, day, madeOn)
  if (state.status === 'UNKNOWN' || state.rows.length === 0) return null
  switch (what.figure) {
    case 'row':
      return explainRow(facts, day, state, what.number)
    case 'dues':
      return explainDues(state, day)
    case 'dpd':
      return explainDpd(state, day)
    case 'instalment':
      return explainInstalment(facts, day, state)
    case 'foreclosure':
      return explainForeclosure(facts, day, madeOn, state)
  }
}
