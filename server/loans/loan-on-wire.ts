import type { Loan, ScheduleRow as WireRow, AllowedPayments as WireAllowed } from '#contract/loans.ts'
import { dayInIndia, quoteDay, type Day } from '#domain/calendar.ts'
import { findEmiStart, nextInstalmentFrom } from '#domain/schedule.ts'
import { findClosingDay } from '#domain/loan-closing.ts'
import { paidSoFar } from '#domain/loan-state.ts'
import { sumPendingByType, type LoanFacts, type LoanState, type ScheduleRow } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import type { AllowedPayments, AmountParts } from '#domain/payments.ts'
import { ppbToPercent, rateOn } from '#domain/rates.ts'
import { trancheMaximum, type TrancheStage } from '#domain/tranches.ts'
import { readApr } from './apr-store.ts'
import type { LoanRow } from './loan-store.ts'

/**
 * A loan as the API returns it for a business date. `trancheMaximumPaise`: the largest further
 * tranche (decision 40).
 */
export function loanOnWire(loan: LoanRow, facts: LoanFacts, state: LoanState, asOf: Day, trancheMaximumPaise: Paise): Loan {
  const paid = paidSoFar(state)
  const [firstDisbursal] = facts.disbursals
  return {
    lan: loan.lan,
    loan_status: state.status,
    sanctioned_amount: facts.sanctionedPaise,
    disbursed_amount: state.disbursedPaise,
    interest_rate: ppbToPercent(rateOn(facts, asOf)),
    ...(facts.terms.isFloating && { rate_type: 'floating' }),
    emi_amount: state.instalmentPaise,
    dues: state.duesPaise,
    dpd: state.dpd,
    due_date: state.dueDate,
    number_of_emis_paid: state.instalmentsPaid,
    number_of_emis_due: state.instalmentsDue,
    lead_id: loan.lead_id,
    partner_loan_id: loan.partner_loan_id,
    max_tranche_amount: trancheMaximumPaise,
    allow_tranche_request: loan.allow_tranche_request,
    title: loan.title,
    principal_outstanding: state.principalOutstandingPaise,
    principal_paid: paid.principalPaise,
    ...(paid.waivedPrincipalPaise > 0n && { principal_waived: paid.waivedPrincipalPaise }),
    interest_paid: paid.interestPaise,
    next_emi: findNextEmi(state),
    credit_amount: state.creditPaise,
    last_due_date: state.rows.at(-1)?.dueDate ?? null,
    due_day: facts.terms.dueDay,
    ...(firstDisbursal && { disbursed_on: firstDisbursal.date }),
    closed_on: findClosingDay(facts, state),
    annual_percentage_rate: readApr(loan, facts),
    upfront_fees: loan.upfront_fees_paise,
    ...emiStartOnWire(findEmiStart(facts, state, asOf)),
    as_of: asOf,
  }
}

function emiStartOnWire(start: ReturnType<typeof findEmiStart>): Pick<Loan, 'emi_start'> {
  if (start === null) return {}
  const { lastPreEmi, firstEmi, capitalised } = start
  const rowOf = ({ dueDate, repaymentAmountPaise }: typeof firstEmi) => ({ due_date: dueDate, amount: repaymentAmountPaise })
  return {
    emi_start: {
      last_pre_emi: lastPreEmi && rowOf(lastPreEmi),
      first_emi: rowOf(firstEmi),
      capitalised: capitalised && { date: capitalised.date, amount: capitalised.amountPaise },
    },
  }
}

function findNextEmi(state: LoanState): Loan['next_emi'] {
  if (state.nextInstalmentPaise === state.instalmentPaise) return null
  const from = nextInstalmentFrom(state)
  return from && { amount: state.nextInstalmentPaise, from }
}

export function rowOnWire(row: ScheduleRow): WireRow {
  return {
    number: row.number,
    due_date: row.dueDate,
    repayment_amount: row.repaymentAmountPaise,
    principal_amount: row.principalPaise,
    interest_amount: row.interestPaise,
    total_charges: sumPendingByType(row).map(([charge_type, total_pending_amount]) => ({ charge_type, total_pending_amount })),
    closing_balance: row.closingBalancePaise,
    pending_amount: row.pendingPaise,
    status: row.status,
  }
}

/** The offer of an instant. Omits options that are not offered (decision 34). */
export function allowedOnWire(allowed: AllowedPayments, now: Date): WireAllowed {
  const { overdue, nextEmi, foreclosure, partPayment, linkMaximumPaise } = allowed
  const limit = (amountPaise: Paise) => (amountPaise > linkMaximumPaise ? { isLimited: true } : {})
  const quotedFor = quoteDay(now)
  return {
    ...(quotedFor !== dayInIndia(now) && { quoted_for: quotedFor }),
    overdue_payment: {
      amount: overdue.amountPaise,
      dpd: overdue.dpd,
      parts: partsOnWire(overdue.parts),
      ...limit(overdue.amountPaise),
    },
    ...(nextEmi && {
      next_emi_payment: {
        amount: nextEmi.amountPaise,
        due_date: nextEmi.dueDate,
        parts: partsOnWire(nextEmi.parts),
        ...limit(nextEmi.amountPaise),
      },
    }),
    ...(foreclosure && {
      foreclosure_payment: { amount: foreclosure.amountPaise, isLimited: foreclosure.isLimited, parts: partsOnWire(foreclosure.parts) },
    }),
    part_payment: {
      min_allowed_amount: partPayment.minPaise,
      max_allowed_amount: partPayment.maxPaise,
      ...(partPayment.isLimited && { isLimited: true }),
    },
  }
}

function partsOnWire(parts: AmountParts) {
  return { principal: parts.principalPaise, interest: parts.interestPaise, charges: parts.chargesPaise, tax: parts.taxPaise }
}

/** The amount that remains for further tranches of a loan. */
export function computeTrancheMaximum(
  loan: LoanRow,
  disbursedPaise: Paise,
  tranches: readonly { stage: TrancheStage; amount_paise: Paise }[],
): Paise {
  return trancheMaximum(
    loan.sanctioned_paise,
    disbursedPaise,
    tranches.map(({ stage, amount_paise: amountPaise }) => ({ stage, amountPaise })),
  )
}
