import type { ExplanationStep as WireStep, explainFigure as call } from '#contract/explanations.ts'
import { dayInIndia, quoteDay } from '#domain/calendar.ts'
import { explain, type ExplainedFigure, type ExplanationStep } from '#domain/explain.ts'
import { paise } from '#domain/money.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { percentOf } from './loan-on-wire.ts'
import { borrowerOf, readOwnLoan } from './own-loan.ts'

/** The ordered facts that a figure comes from, today; of the payoff, as it is on offer now (decision 24). @throws Failure NotFound also for a row that the loan does not have. */
export const explainFigure: UseCase<typeof call> = async ({ database, clock }, caller, { query }) => {
  const borrowerId = borrowerOf(caller)
  const now = clock.now()
  const day = query.what === 'foreclosure' ? quoteDay(now) : dayInIndia(now)
  const { facts } = await database.asBorrower(borrowerId, (sql) => readOwnLoan(sql, borrowerId, query.lan))
  const explanation = explain(facts, day, figureOf(query.what), dayInIndia(now))
  if (!explanation) throw notFound()
  return { what: query.what, amount: explanation.amountPaise, days: explanation.days, as_of: day, steps: explanation.steps.map(stepOnWire) }
}

function figureOf(what: string): ExplainedFigure {
  const [figure, number] = what.split(':')
  return figure === 'row' ? { figure, number: Number(number) } : { figure: figure as 'dues' | 'dpd' | 'instalment' | 'foreclosure' }
}

function stepOnWire(step: ExplanationStep): WireStep {
  const said = { step: step.step, adds: step.adds, ...('amountPaise' in step && amountOnWire(step.amountPaise)) }
  switch (step.step) {
    case 'interest':
      return {
        ...said,
        from: step.from,
        to: step.to,
        days: step.days,
        month_days: step.monthDays,
        basis: step.basis,
        balance: step.balancePaise,
        interest_rate: percentOf(step.annualRatePpb),
      }
    case 'instalment':
      return {
        ...said,
        balance: step.principalPaise,
        interest_rate: percentOf(step.annualRatePpb),
        instalments: step.instalments,
        rounding: step.rounding,
        is_fixed: step.isFixed,
      }
    case 'principal':
      return { ...said, why: step.why }
    case 'row':
      return { ...said, number: step.number, due_date: step.dueDate }
    case 'oldest_unpaid':
      return { ...said, number: step.number, due_date: step.dueDate, to: step.asOf }
    case 'charge':
      return { ...said, charge_type: step.chargeType }
    case 'received':
      return { ...said, date: step.date, component: step.component }
    case 'interest_set_right':
    case 'credit':
      return said
  }
}

/** Amounts on the wire are never negative; what is taken away says so. */
function amountOnWire(amountPaise: bigint): Pick<WireStep, 'amount' | 'is_negative'> {
  return amountPaise < 0n ? { amount: paise(-amountPaise), is_negative: true } : { amount: paise(amountPaise) }
}
