import type { previewTranche as call } from '#contract/tranches.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paidWhenDue } from '#domain/paid-when-due.ts'
import { isDisbursalFaulty, trancheDates, tranchePreview } from '#domain/tranches.ts'
import { defineReading } from '../http/reading.ts'
import { rowOnWire, computeTrancheMaximum } from '../loans/loan-on-wire.ts'
import { buildOwnLoan, ownLoanReads } from '../loans/own-loan.ts'
import { trancheFailure } from './tranche-refusals.ts'
import { outcomeOnWire } from './tranches-on-wire.ts'

/** Previews the effect of a tranche disbursed on a day, with {@link paidWhenDue} until then. */
export const previewTranche = defineReading<typeof call>()(ownLoanReads, ({ clock }, _caller, { query }, rows) => {
  const today = dayInIndia(clock.now())
  const { loan, facts } = buildOwnLoan(rows, query.lan)
  const { status, disbursedPaise } = loanStateDuring(facts, today)
  // Open tranches are ignored, because the tranche being changed is one of them.
  const maximumPaise = computeTrancheMaximum(loan, disbursedPaise, [])
  if (status !== 'ACTIVE') throw trancheFailure('loan_not_active', maximumPaise)
  if (query.amount > maximumPaise) throw trancheFailure('above_maximum', maximumPaise)
  const { earliest, latest } = trancheDates(facts, today)
  if (query.date < earliest || query.date > latest) throw trancheFailure('date_out_of_window', maximumPaise)
  if (isDisbursalFaulty(facts, { date: query.date, amountPaise: query.amount })) throw trancheFailure('not_allowed', maximumPaise)
  const preview = tranchePreview(paidWhenDue(facts, today, query.date), query.date, query.amount)
  return {
    amount: query.amount,
    date: query.date,
    unchanged: outcomeOnWire(preview.unchanged),
    changed: outcomeOnWire(preview.changed),
    repayment_schedule: preview.rows.map(rowOnWire),
  }
})
