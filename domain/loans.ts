import type { Day } from './calendar.ts'
import type { Paise } from './money.ts'
import type { AllowedPayments, PaymentPurpose } from './payments.ts'

/** A yearly rate in parts per billion: 11.25 % is 112_500_000. */
export type RatePpb = number

/** The longest schedule Kist computes: fifty years of months. */
export const maximumInstalments = 600

/** What the borrower and the lender agreed. A loan keeps the terms it was sanctioned under (decision 50). */
export type LoanTerms = {
  annualRatePpb: RatePpb
  instalments: number
  firstDueDate: Day
  /** 1–31; 31 means the last day of each month. */
  dueDay: number
  interest: 'monthly' | 'actual_365'
  instalmentRounding: 'rupee_half_even' | 'rupee_up' | 'paisa_half_even' | 'paisa_up'
  principalGraceInstalments: number
  fixedInstalmentPaise: Paise | null
  moratorium: { until: Day; interest: 'paid' | 'deferred' } | null
  allocation: 'instalments_first' | 'charges_first'
  lateCharge: LateChargeRule | null
  prepaymentCharge: { ratePpb: RatePpb; taxRatePpb: RatePpb } | null
  partPaymentMinimumPaise: Paise | null
  /** The most one payment link may carry. */
  linkMaximumPaise: Paise
  /** The most that the lender may write off to close a loan after a foreclosure that fell short (decision 54). 0: nothing. */
  foreclosureWaiveMaximumPaise: Paise
}

/** A fixed penal charge for each instalment still unpaid `graceDays` after its due date. Never capitalised, no GST. */
type LateChargeRule = { graceDays: number; amountPaise: Paise }

export type Disbursal = { date: Day; amountPaise: Paise }
export type RateChange = { date: Day; annualRatePpb: RatePpb; keep: 'instalment' | 'tenor' }
export type Charge = { chargeId: string; date: Day; chargeType: string; amountPaise: Paise; penal: boolean; waivedOn: Day | null }
/** Money received for the loan, by its value date. `purpose` null: whatever is due first, the rest is credit. */
export type ReceivedPayment = {
  paymentId: string
  date: Day
  amountPaise: Paise
  purpose: PaymentPurpose | null
  /** How much of it goes back, or has gone back, to who paid it: that much never counts. Absent: nothing (decision 49). */
  heldPaise?: Paise
  /**
   * The day that the payment's quote was for, where the quote was made on the evening before, from 23:30 (decision 24). The value
   * date is that day or the evening's own. Absent: the quote was for the day on which it was made, or there was none (decision 55).
   */
  quotedAheadFor?: Day
}
/**
 * The lender's decision to close the loan on a day by giving up what is left after a foreclosure that fell short (decision 54). It
 * counts only where it closes the loan: where more than the amount is left on its day, it gives up nothing.
 */
export type ForeclosureWaiver = { waiverId: string; date: Day; amountPaise: Paise }
/** Credit that is sent back: from its day on it counts for nothing, whenever the money leaves. */
export type CreditRefund = { refundId: string; date: Day; amountPaise: Paise }

/** Everything that is known of a loan. Whatever is shown of it is computed from these (ARCHITECTURE.md). */
export type LoanFacts = {
  /** For messages of errors only. */
  loanNumber?: string
  sanctionedPaise: Paise
  terms: LoanTerms
  disbursals: readonly Disbursal[]
  rateChanges: readonly RateChange[]
  charges: readonly Charge[]
  /** In the order they count: by value date, then as they were received. */
  payments: readonly ReceivedPayment[]
  /** By date, then as they were asked for. */
  refunds: readonly CreditRefund[]
  /** By date, then as they were decided. */
  foreclosureWaivers: readonly ForeclosureWaiver[]
}

export const loanStatuses = ['ACTIVE', 'OVERDUE', 'CLOSED', 'UNKNOWN'] as const
export type LoanStatus = (typeof loanStatuses)[number]

export const instalmentStatuses = ['Paid', 'Due', 'Late', 'Unknown'] as const
export type InstalmentStatus = (typeof instalmentStatuses)[number]

/** One row of the repayment schedule. `repaymentAmountPaise` is what the row billed and never changes by paying. */
export type ScheduleRow = {
  number: number
  dueDate: Day
  repaymentAmountPaise: Paise
  principalPaise: Paise
  interestPaise: Paise
  closingBalancePaise: Paise
  paidPrincipalPaise: Paise
  paidInterestPaise: Paise
  /** What is left of the row with the charges shown in it. */
  pendingPaise: Paise
  charges: readonly { chargeId: string; chargeType: string; pendingPaise: Paise }[]
  status: InstalmentStatus
}

/** Where one payment went. The lines add up to the payment. */
export type PaymentAllocation = {
  paymentId: string
  lines: readonly AllocationLine[]
}
export type AllocationLine = {
  /** `excess`: to the loan's credit. `held`: goes back to who paid it. */
  component: 'interest' | 'principal' | 'charge' | 'excess' | 'held'
  instalmentNumber: number | null
  chargeId: string | null
  amountPaise: Paise
}

/**
 * Money moved inside the loan without a payment: credit used for what fell due; interest paid ahead for days that never ran, given
 * back; the last day's interest of a foreclosure begun in time, waived (decision 24); what the lender gave up to close the loan
 * (decision 54); a late charge that the quote did not contain, waived (decision 55). A negative line takes, a positive one
 * gives; the lines of the first two add up to zero, the lines of a waiver are what is settled without money.
 */
export type LoanAdjustment = {
  date: Day
  reason: 'credit_used' | 'interest_rebated' | WaiverReason
  /** The payment that brought it about; null when a due date or the lender did. */
  paymentId: string | null
  lines: readonly AllocationLine[]
}

/** Adjustments that settle something at the lender's expense. */
export const waiverReasons = ['interest_waived', 'foreclosure_waive', 'late_charge_within_quote'] as const
type WaiverReason = (typeof waiverReasons)[number]

/** A payment made to close the loan that was too small by more than decision 24 forgives (decision 54). */
export type ShortForeclosure = { paymentId: string; date: Day; shortPaise: Paise }

/** The loan on a business date, computed from its facts. */
export type LoanState = {
  status: LoanStatus
  /** The invariant that the engine violated. Present only if that is why the status is UNKNOWN. */
  violation?: string
  instalmentPaise: Paise
  rows: readonly ScheduleRow[]
  disbursedPaise: Paise
  principalOutstandingPaise: Paise
  /** Everything unpaid that has fallen due, with charges. */
  duesPaise: Paise
  dpd: number
  /** Due date of the oldest unpaid row; null when none. */
  dueDate: Day | null
  instalmentsPaid: number
  instalmentsDue: number
  /** Money received that nothing was due for. */
  creditPaise: Paise
  /** Money received that goes back, or has gone back, to who paid it. */
  heldPaise: Paise
  /** Refunds of credit that was not there, because something became known later; the next credit makes up for it. */
  refundShortPaise: Paise
  allowed: AllowedPayments
  /** Of the payments received up to the day, in the order of `facts.payments`. */
  allocations: readonly PaymentAllocation[]
  adjustments: readonly LoanAdjustment[]
  /** In the order of their dates. */
  shortForeclosures: readonly ShortForeclosure[]
  /** Deferred interest that becomes principal when EMIs begin, on a day that may be to come (decision 25); null when there is none. */
  capitalised: { date: Day; amountPaise: Paise } | null
  /** The equated instalment from the next period on: what a part payment or a rate change leads to. */
  nextInstalmentPaise: Paise
  /** Charges that the product's rule makes of the facts, without a row of their own yet (decision 21). */
  derivedCharges: readonly Charge[]
}
