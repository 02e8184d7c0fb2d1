import type { Tranche, TrancheOutcome as WireOutcome } from '#contract/tranches.ts'
import type { Day } from '#domain/calendar.ts'
import type { LoanFacts, LoanStatus } from '#domain/loans.ts'
import { paise, type Paise } from '#domain/money.ts'
import { refuseAnyChange, statusesOfStage, type TrancheOutcome } from '#domain/tranches.ts'
import { rowOnWire } from '../loans/loan-on-wire.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import type { PaidDisbursal, TrancheRow } from './tranche-store.ts'

/**
 * The loan of a tranche on a day. `maximumPaise`: the amount left for other tranches; the tranche's
 * own amount is added.
 */
export type LoanOfTranche = { status: LoanStatus; facts: LoanFacts; maximumPaise: Paise; today: Day }

export function trancheOnWire(tranche: TrancheRow, loan: LoanOfTranche): Tranche {
  const isEditable = refuseAnyChange(loan, { stage: tranche.stage, date: tranche.disbursed_on }) === null
  return {
    tranche_amount: tranche.amount_paise,
    status: statusesOfStage[tranche.stage].status,
    release_status: statusesOfStage[tranche.stage].releaseStatus,
    date_of_disbursement: tranche.disbursed_on,
    is_editable: isEditable,
    partner_tranche_id: tranche.partner_tranche_id,
    stage: tranche.stage,
    max_amount: isEditable ? paise(loan.maximumPaise + tranche.amount_paise) : null,
  }
}

/**
 * A disbursal without a request in the portal: the first one, or an imported one.
 *
 * @param number its position among the loan's disbursals, from 1.
 */
export function disbursalOnWire(loan: LoanRow, { date, amountPaise, partnerTrancheId }: PaidDisbursal, number: number): Tranche {
  return {
    tranche_amount: amountPaise,
    status: statusesOfStage.released.status,
    release_status: statusesOfStage.released.releaseStatus,
    date_of_disbursement: date,
    is_editable: false,
    partner_tranche_id: partnerTrancheId ?? `${loan.lan}-D${number}`,
    stage: 'released',
    max_amount: null,
  }
}

export const outcomeOnWire = (outcome: TrancheOutcome): WireOutcome => ({
  emi_amount: outcome.instalmentPaise,
  next_row: outcome.nextRow && rowOnWire(outcome.nextRow),
  following_row: outcome.followingRow && rowOnWire(outcome.followingRow),
  last_due_date: outcome.lastDueDate,
  instalments_left: outcome.instalmentsLeft,
  total_interest_amount: outcome.totalInterestPaise,
})
