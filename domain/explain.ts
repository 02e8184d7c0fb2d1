import type { Day } from './calendar.ts'
import { dayFromNumber, dayNumber } from './calendar.ts'
import type { Book, BookRow, TracedPiece } from './loan-book.ts'
import { factsFault } from './loan-facts.ts'
import { loanStateDuring } from './loan-state.ts'
import type { AllocationLine, LoanFacts, LoanState, LoanTerms, RatePpb, ScheduleRow } from './loans.ts'
import type { Paise } from './money.ts'
import { paise } from './money.ts'
import { replayTraced } from './replay.ts'

/** A figure that can be explained: an instalment by its number, or one of the loan's figures on a day. */
export type ExplainedFigure =
  | { figure: 'row'; number: number }
  | { figure: 'dues' }
  | { figure: 'dpd' }
  | { figure: 'instalment' }
  | { figure: 'foreclosure' }

/** One thing a figure comes from, in order. The steps that carry an amount add up to the figure where `adds` is true. */
export type ExplanationStep =
  | {
      step: 'interest'
      adds: true
      from: Day
      to: Day
      days: number
      balancePaise: Paise
      annualRatePpb: RatePpb
      /** A whole month bears r/12, part of one its share by days, anything else its days of a year of 365 (decision 20). */
      basis: 'whole_month' | 'part_of_month' | 'days_of_year'
      monthDays: number | null
      amountPaise: Paise
    }
  | { step: 'interest_set_right'; adds: true; amountPaise: Paise }
  | { step: 'principal'; adds: true; why: 'rest_of_instalment' | 'last_row' | 'interest_only' | 'changed'; amountPaise: Paise }
  | {
      step: 'instalment'
      adds: false
      principalPaise: Paise
      annualRatePpb: RatePpb
      instalments: number
      rounding: LoanTerms['instalmentRounding']
      isFixed: boolean
      amountPaise: Paise
    }
  | { step: 'row'; adds: true; number: number; dueDate: Day; amountPaise: Paise }
  | { step: 'charge'; adds: true; chargeId: string; chargeType: string; amountPaise: Paise }
  | { step: 'received'; adds: false; paymentId: string; date: Day; component: AllocationLine['component']; amountPaise: Paise }
  | { step: 'oldest_unpaid'; adds: false; number: number; dueDate: Day; asOf: Day }
  | { step: 'part'; adds: true; part: 'principal' | 'interest' | 'charges' | 'tax'; amountPaise: Paise }

/** `amountPaise` is null where the figure is a number of days. */
export type Explanation = { amountPaise: Paise | null; days: number | null; steps: readonly ExplanationStep[] }

const toPaise = (amount: number): Paise => paise(BigInt(amount))

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
  balancePaise: toPaise(piece.balance),
  annualRatePpb: piece.annualRatePpb,
  basis: basisOf(piece),
  monthDays: piece.periodDays === 0 ? null : piece.periodDays,
  amountPaise: toPaise(piece.interest),
})

function whyPrincipal(row: BookRow, isLast: boolean): 'rest_of_instalment' | 'last_row' | 'interest_only' | 'changed' {
  if (row.instalment === 0 && !isLast) return 'interest_only'
  if (row.principal + row.interest === row.instalment) return 'rest_of_instalment'
  return isLast ? 'last_row' : 'changed'
}

function instalmentStep(book: Book, row: number): ExplanationStep[] {
  const plan = book.trace?.plans.findLast((candidate) => candidate.row <= row)
  if (plan === undefined) return []
  const { principal, annualRatePpb, rows, instalment, isFixed } = plan
  return [
    {
      step: 'instalment',
      adds: false,
      principalPaise: toPaise(principal),
      annualRatePpb,
      instalments: rows,
      rounding: book.terms.instalmentRounding,
      isFixed,
      amountPaise: toPaise(instalment),
    },
  ]
}

function receivedFor(facts: LoanFacts, state: LoanState, number: number): ExplanationStep[] {
  return state.allocations.flatMap(({ paymentId, lines }) => {
    const date = facts.payments.find((payment) => payment.paymentId === paymentId)?.date
    return lines.flatMap(({ instalmentNumber, component, amountPaise }) =>
      instalmentNumber === number && date !== undefined
        ? [{ step: 'received' as const, adds: false as const, paymentId, date, component, amountPaise }]
        : [],
    )
  })
}

function explainRow(facts: LoanFacts, day: Day, state: LoanState, number: number): Explanation | null {
  const book = replayTraced(facts, dayNumber(day))
  const row = book.rows[number - 1]
  if (row === undefined) return null
  const pieces = book.trace?.pieces.filter((piece) => piece.row === number - 1) ?? []
  const run = pieces.reduce((sum, { interest }) => sum + interest, 0)
  const steps: ExplanationStep[] = [...instalmentStep(book, number - 1), ...pieces.map(interestStep)]
  // What rows paid ahead had billed too much or too little is set right in the next row that was still open (decision 25).
  if (run !== row.interest) steps.push({ step: 'interest_set_right', adds: true, amountPaise: toPaise(row.interest - run) })
  steps.push({ step: 'principal', adds: true, why: whyPrincipal(row, number === book.rows.length), amountPaise: toPaise(row.principal) })
  return { amountPaise: toPaise(row.interest + row.principal), days: null, steps: [...steps, ...receivedFor(facts, state, number)] }
}

const chargeSteps = (rows: readonly ScheduleRow[]): ExplanationStep[] =>
  rows.flatMap(({ charges }) =>
    charges.map(({ chargeId, chargeType, pendingPaise }) => ({
      step: 'charge',
      adds: true,
      chargeId,
      chargeType,
      amountPaise: pendingPaise,
    })),
  )

const instalmentPending = (row: ScheduleRow): Paise => paise(row.repaymentAmountPaise - row.paidInterestPaise - row.paidPrincipalPaise)

function explainDues(state: LoanState, day: Day): Explanation {
  const due = state.rows.filter((row) => row.dueDate <= day && instalmentPending(row) > 0n)
  const rows = due.map((row): ExplanationStep => ({
    step: 'row',
    adds: true,
    number: row.number,
    dueDate: row.dueDate,
    amountPaise: instalmentPending(row),
  }))
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

function explainForeclosure(state: LoanState): Explanation | null {
  const { foreclosure } = state.allowed
  if (foreclosure === null) return null
  const { principalPaise, interestPaise, chargesPaise, taxPaise } = foreclosure.parts
  const parts = { principal: principalPaise, interest: interestPaise, charges: chargesPaise, tax: taxPaise } as const
  const steps = (['principal', 'interest', 'charges', 'tax'] as const).map((part): ExplanationStep => ({
    step: 'part',
    adds: true,
    part,
    amountPaise: parts[part],
  }))
  return { amountPaise: foreclosure.amountPaise, days: null, steps }
}

function explainInstalment(facts: LoanFacts, day: Day, state: LoanState): Explanation {
  const next = state.rows.find(({ status }) => status === 'Due') ?? state.rows.at(-1)
  const book = replayTraced(facts, dayNumber(day))
  return { amountPaise: state.instalmentPaise, days: null, steps: instalmentStep(book, (next?.number ?? 1) - 1) }
}

/** The ordered facts a figure of the loan comes from, during a day; null when there is no such figure, or too little is known of the loan. */
export function explain(facts: LoanFacts, day: Day, what: ExplainedFigure): Explanation | null {
  if (factsFault(facts, day) !== null) return null
  const state = loanStateDuring(facts, day)
  if (state.rows.length === 0) return null
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
      return explainForeclosure(state)
  }
}
