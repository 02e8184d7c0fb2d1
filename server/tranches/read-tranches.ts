import type { readTranches as call, Tranche } from '#contract/tranches.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { refuseAnyRequest, trancheDates } from '#domain/tranches.ts'
import { defineReading } from '../http/reading.ts'
import { computeTrancheMaximum } from '../loans/loan-on-wire.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { buildOwnLoan, ownLoanReads } from '../loans/own-loan.ts'
import { disbursalsOfBorrower, ofLoan, toPaidDisbursal, tranchesOfBorrower, type PaidDisbursal, type TrancheRow } from './tranche-store.ts'
import { disbursalOnWire, trancheOnWire, type LoanOfTranche } from './tranches-on-wire.ts'

/** Reads the tranches of a loan: disbursals, and requested or rejected tranches. */
export const readTranches = defineReading<typeof call>()(
  (borrowerId) => [tranchesOfBorrower.with({ borrowerId }), disbursalsOfBorrower.with({ borrowerId }), ...ownLoanReads(borrowerId)],
  ({ clock }, _caller, { query }, [trancheRows, disbursalRows, ...loanRows]) => {
    const today = dayInIndia(clock.now())
    const { loan, facts } = buildOwnLoan(loanRows, query.lan)
    const requested = ofLoan(trancheRows, loan)
    const { status, disbursedPaise } = loanStateDuring(facts, today)
    const maximumPaise = computeTrancheMaximum(loan, disbursedPaise, requested)
    const refusal = refuseAnyRequest({
      status,
      allowTrancheRequest: loan.allow_tranche_request,
      tranches: requested.map(({ stage, amount_paise }) => ({ stage, amountPaise: amount_paise })),
      facts,
      today,
    })
    const { earliest, latest } = trancheDates(facts, today)
    const disbursals = ofLoan(disbursalRows, loan).map(toPaidDisbursal)
    return {
      tranches: buildTranches(loan, requested, disbursals, { status, facts, maximumPaise, today }),
      allow_create_tranche: refusal === null && maximumPaise >= 100n,
      max_tranche_amount: maximumPaise,
      earliest_date: earliest,
      latest_date: latest,
    }
  },
)

/**
 * The disbursals and the requested tranches of a loan, by date. Each keeps its number when one with
 * an earlier date is requested.
 */
export function buildTranches(
  loan: LoanRow,
  requested: readonly TrancheRow[],
  disbursals: readonly PaidDisbursal[],
  ofTranches: LoanOfTranche,
): Tranche[] {
  const released = new Set(requested.filter(({ stage }) => stage === 'released').map((tranche) => tranche.partner_tranche_id))
  const tranches = [
    ...disbursals.flatMap((disbursal, index) =>
      disbursal.partnerTrancheId !== null && released.has(disbursal.partnerTrancheId) ? [] : [disbursalOnWire(loan, disbursal, index + 1)],
    ),
    ...requested.map((tranche) => trancheOnWire(tranche, ofTranches)),
  ]
  const numbered = tranches.map((tranche, index) => ({ ...tranche, number: index + 1 }))
  return numbered.toSorted((one, other) =>
    one.date_of_disbursement < other.date_of_disbursement ? -1 : one.date_of_disbursement > other.date_of_disbursement ? 1 : 0,
  )
}
