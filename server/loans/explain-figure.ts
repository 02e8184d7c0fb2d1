import type { ExplanationStep as WireStep, explainFigure as call } from '#contract/explanations.ts'
import { dayInIndia, quoteDay } from '#domain/calendar.ts'
import { explain, type ExplainedFigure, type ExplanationStep } from '#domain/explain.ts'
import { paise } from '#domain/money.ts'
import { ppbToPercent } from '#domain/rates.ts'
import { notFound } from '../http/failure.ts'
import { defineReading } from '../http/reading.ts'
import { buildOwnLoan, ownLoanReads } from './own-loan.ts'

/**
 * Explains a figure of today by its facts in order; the payoff as it is offered now (decision 24).
 *
 * @throws Failure NotFound, also for a row that the loan does not have.
 */
export const explainFigure = defineReading<typeof call>()(ownLoanReads, ({ clock }, _caller, { query }, rows) => {
  const now = clock.now()
  const day = query.what === 'foreclosure' ? quoteDay(now) : dayInIndia(now)
  const { facts } = buildOwnLoan(rows, query.lan)
  const explanation = explain(facts, day, parseFigure(query.what), dayInIndia(now))
  if (!explanation) throw notFound()
  return { what: query.what, amount: explanation.amountPaise, days: explanation.days, as_of: day, steps: explanation.steps.map(stepOnWire) }
})

function parseFigure(what: string): ExplainedFigure {
  const [figure, number] = what.split(':')
  return figure === 'row' ? { figure, number: Number(number) } : { figure: figure as 'dues' | 'dpd' | 'instalment' | 'foreclosure' }
}

function stepOnWire(step: ExplanationStep): WireStep {
  const common = { step: step.step, adds: step.adds, ...('amountPaise' in step && amountOnWire(step.amountPaise)) }
  switch (step.step) {
    case 'interest':
      return {
        ...common,
        from: step.from,
        to: step.to,
        days: step.days,
        month_days: step.monthDays,
        basis: step.basis,
        balance: step.balancePaise,
        interest_rate: ppbToPercent(step.annualRatePpb),
      }
    case 'instalment':
      return {
        ...common,
        balance: step.principalPaise,
        interest_rate: ppbToPercent(step.annualRatePpb),
        instalments: step.instalments,
        rounding: step.rounding,
        is_fixed: step.isFixed,
        is_given: step.isGiven,
        basis: step.basis,
      }
    case 'principal':
      return { ...common, why: step.why }
    case 'row':
      return { ...common, number: step.number, due_date: step.dueDate }
    case 'oldest_unpaid':
      return { ...common, number: step.number, due_date: step.dueDate, to: step.asOf }
    case 'charge':
      return { ...common, charge_type: step.chargeType }
    case 'received':
      return { ...common, date: step.date, component: step.component }
    case 'interest_set_right':
    case 'credit':
      return common
  }
}

/** Amounts in the API are never negative; `is_negative` marks a subtraction. */
function amountOnWire(amountPaise: bigint): Pick<WireStep, 'amount' | 'is_negative'> {
  return amountPaise < 0n ? { amount: paise(-amountPaise), is_negative: true } : { amount: paise(amountPaise) }
}
