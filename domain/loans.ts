import { dayNumber, parseDay, type Day, type DayNumber } from './calendar.ts'
import { sumPaise, type Paise } from './money.ts'
import type { AllowedPayments, PaymentPurpose } from './payments.ts'

/** A yearly rate in parts per billion: 11.25 % is 112_500_000. */
export type RatePpb = number

/** The longest schedule that Kist computes: fifty years of months. */
export const maximumInstalments = 600

/**
 * What the borrower and the lender agreed. A loan keeps the terms under which it was sanctioned
 * (decision 50).
 */
export type LoanTerms = {
  annualRatePpb: RatePpb
  /** True if the rate follows a benchmark. Absent: it is fixed. */
  isFloating?: true
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
  /** The maximum of one payment link. */
  linkMaximumPaise: Paise
  /**
   * The most that the lender can write off to close a loan after a short foreclosure (decision 54).
   * 0: nothing.
   */
  foreclosureWaiveMaximumPaise: Paise
}

/**
 * A fixed penal charge for each instalment unpaid `graceDays` after its due date. Never
 * capitalised, no GST.
 */
type LateChargeRule = { graceDays: number; amountPaise: Paise }

/**
 * `keptRows`: instalments after its day that were paid when it was recorded, and months for which
 * nothing was billed (tranches.ts). Their bills stay, the first instalment after them bears the
 * difference, and the instalment is computed again for the one after that (decision 25). Absent:
 * none.
 */
export type Disbursal = { date: Day; amountPaise: Paise; keptRows?: readonly KeptRow[] }
export type KeptRow = { dueDate: Day; interestPaise: Paise; principalPaise: Paise }
/**
 * A rate from a day on. What stays: the instalment, the number of instalments, or neither: `both`
 * change, to the given instalment and the number of instalments that it needs (decision 25).
 */
export type RateChange = { date: Day; annualRatePpb: RatePpb } & (
  | { keep: 'instalment' | 'tenor' }
  | { keep: 'both'; instalmentPaise: Paise }
)
export type Charge = {
  chargeId: string
  date: Day
  chargeType: string
  amountPaise: Paise
  penal: boolean
  waivedOn: Day | null
  /**
   * The part that the lender decided to waive: a payment of the same day that paid another part
   * keeps it. Absent: everything unpaid when the waiver counts.
   */
  waivedPaise?: Paise
}

/** True for a charge that was raised in error: all of it is waived as of its own day. */
export const isTakenBack = ({ date, amountPaise, waivedOn, waivedPaise }: Charge): boolean =>
  waivedOn === date && waivedPaise === amountPaise

/** The type of a late charge. The key facts statement must list it (india.md R2). */
export const lateChargeType = 'LATE_PAYMENT_CHARGE'

const lateChargePrefix = 'late:'

/**
 * The id of an instalment's late charge. A stored charge with this id replaces the derived one
 * (decision 21).
 */
export const lateChargeId = (dueDate: Day): string => `${lateChargePrefix}${dueDate}`

/** The due date of a late charge's instalment. Null for another charge. */
export const lateChargeDueDate = (chargeId: string): Day | null =>
  chargeId.startsWith(lateChargePrefix) ? parseDay(chargeId.slice(lateChargePrefix.length)) : null

/** True for a charge that is only the tax on another charge. It is no income of the lender. */
export const isTax = ({ chargeType }: Pick<Charge, 'chargeType'>): boolean => chargeType.endsWith('_TAX')

/**
 * Money received for the loan, by its value date. `purpose` null: it pays what is due, and the rest
 * is credit.
 */
export type ReceivedPayment = {
  paymentId: string
  date: Day
  amountPaise: Paise
  purpose: PaymentPurpose | null
  /**
   * The part that is being refunded or was refunded. It never counts. Absent: nothing (decision
   * 49).
   */
  heldPaise?: Paise
  /**
   * The day for which the payment's quote was made, if it was made on the evening before from 23:30
   * (decision 24). The value date is that day or the evening's own. Absent: the quote was for the
   * day on which it was made, or there was none (decision 55).
   */
  quotedAheadFor?: Day
}
/**
 * The lender's decision to close the loan on a day by writing off the rest after a short
 * foreclosure (decision 54). It has no effect if more than the amount is left on that day.
 */
export type ForeclosureWaiver = { waiverId: string; date: Day; amountPaise: Paise }
/** Credit that is refunded. From its day on it no longer counts, whenever the money is sent. */
export type CreditRefund = { refundId: string; date: Day; amountPaise: Paise }

/**
 * Days on which no late charge arises for some instalments: the check moves to the day after.
 *
 * `dueDates`: a debit of these instalments is at the bank until its outcome is known. `until` null:
 * it is not known yet.
 *
 * `takenBack`: money that counted as paid on these days, and was taken back on the last of them, by
 * the bank or by the lender. What was paid in later months now pays earlier instalments. An
 * instalment is held if it is paid, or does not exist, where that money counts: without it the
 * borrower was late for another reason (docs/decisions/0204, 0213, 0214). `isReversed`: people
 * reversed what people had recorded, and may record it again.
 */
export type LateChargeHold = { from: Day; until: Day | null; dueDates: readonly Day[] } | TakenBackHold
export type TakenBackHold = {
  from: Day
  until: Day
  takenBack: ReceivedPayment
  isReversed: boolean
  /**
   * Holds every instalment: only where the loan is computed with other money that was taken back.
   * To look at each of them there too would double the time with every one.
   */
  holdsAll?: true
}

/**
 * Everything known about a loan. Every figure of it is computed from these facts (ARCHITECTURE.md).
 */
export type LoanFacts = {
  /** For error messages only. */
  loanNumber?: string
  sanctionedPaise: Paise
  terms: LoanTerms
  disbursals: readonly Disbursal[]
  rateChanges: readonly RateChange[]
  charges: readonly Charge[]
  /** In the order in which they count: by value date, then by receipt. */
  payments: readonly ReceivedPayment[]
  /** By date, then by request. */
  refunds: readonly CreditRefund[]
  /** By date, then by decision. */
  foreclosureWaivers: readonly ForeclosureWaiver[]
  /** Absent: none. */
  lateChargeHolds?: readonly LateChargeHold[]
}

/** The order of the facts of one day. Rows fall due before all of them. */
export const eventRank = {
  disbursal: 0,
  rateChange: 1,
  charge: 2,
  waiver: 3,
  payment: 4,
  foreclosureWaiver: 5,
  creditRefund: 6,
} as const

/** A fact on its day. */
export type LoanEvent =
  | { day: DayNumber; rank: typeof eventRank.disbursal; disbursal: Disbursal }
  | { day: DayNumber; rank: typeof eventRank.rateChange; rateChange: RateChange }
  | { day: DayNumber; rank: typeof eventRank.charge; charge: Charge }
  | { day: DayNumber; rank: typeof eventRank.waiver; waived: Charge }
  | { day: DayNumber; rank: typeof eventRank.payment; payment: ReceivedPayment }
  | { day: DayNumber; rank: typeof eventRank.foreclosureWaiver; foreclosureWaiver: ForeclosureWaiver }
  | { day: DayNumber; rank: typeof eventRank.creditRefund; refund: CreditRefund }

const compareEvents = (left: LoanEvent, right: LoanEvent): number => left.day - right.day || left.rank - right.rank

/** The facts of a loan up to a day, in their order. */
export function eventsUpTo(facts: LoanFacts, last: DayNumber): LoanEvent[] {
  const events: LoanEvent[] = []
  for (const disbursal of facts.disbursals) events.push({ day: dayNumber(disbursal.date), rank: eventRank.disbursal, disbursal })
  for (const rateChange of facts.rateChanges) events.push({ day: dayNumber(rateChange.date), rank: eventRank.rateChange, rateChange })
  for (const charge of facts.charges) {
    events.push({ day: dayNumber(charge.date), rank: eventRank.charge, charge })
    if (charge.waivedOn !== null && charge.waivedOn > charge.date)
      events.push({ day: dayNumber(charge.waivedOn), rank: eventRank.waiver, waived: charge })
  }
  for (const payment of facts.payments) events.push({ day: dayNumber(payment.date), rank: eventRank.payment, payment })
  for (const foreclosureWaiver of facts.foreclosureWaivers)
    events.push({ day: dayNumber(foreclosureWaiver.date), rank: eventRank.foreclosureWaiver, foreclosureWaiver })
  for (const refund of facts.refunds) events.push({ day: dayNumber(refund.date), rank: eventRank.creditRefund, refund })
  events.sort(compareEvents)
  while ((events.at(-1)?.day ?? last) > last) events.pop()
  return events
}

export const loanStatuses = ['ACTIVE', 'OVERDUE', 'CLOSED', 'UNKNOWN'] as const
export type LoanStatus = (typeof loanStatuses)[number]

export const instalmentStatuses = ['Paid', 'Due', 'Late', 'Unknown'] as const
export type InstalmentStatus = (typeof instalmentStatuses)[number]

/**
 * One row of the repayment schedule. `repaymentAmountPaise` is the billed amount; payments do not
 * change it.
 */
export type ScheduleRow = {
  number: number
  dueDate: Day
  repaymentAmountPaise: Paise
  principalPaise: Paise
  interestPaise: Paise
  closingBalancePaise: Paise
  paidPrincipalPaise: Paise
  paidInterestPaise: Paise
  /** What is left to pay of the row, including the charges shown in it. */
  pendingPaise: Paise
  charges: readonly { chargeId: string; chargeType: string; pendingPaise: Paise }[]
  status: InstalmentStatus
}

/** How one payment was allocated. The lines sum to the payment. */
export type PaymentAllocation = {
  paymentId: string
  lines: readonly AllocationLine[]
}
export type AllocationLine = {
  /** `excess` goes to the loan's credit. `held` is refunded to the payer. */
  component: 'interest' | 'principal' | 'charge' | 'excess' | 'held'
  instalmentNumber: number | null
  chargeId: string | null
  amountPaise: Paise
}

/**
 * Money moved inside the loan without a payment: credit used for what fell due; a rebate of
 * interest paid ahead for days that never came; the last day's interest of a foreclosure that began
 * in time, waived (decision 24); a write-off that closed the loan (decision 54); a late charge that
 * the quote did not contain, waived (decision 55). A negative line takes, a positive line gives.
 * The lines of the first two reasons sum to zero; the lines of a waiver are what it settles without
 * money.
 */
export type LoanAdjustment = {
  date: Day
  reason: 'credit_used' | 'interest_rebated' | WaiverReason
  /** The payment that caused it. Null if a due date or the lender did. */
  paymentId: string | null
  lines: readonly AllocationLine[]
}

/** Adjustments that settle an amount at the lender's expense. */
const waiverReasons = ['interest_waived', 'foreclosure_waive', 'late_charge_within_quote'] as const
type WaiverReason = (typeof waiverReasons)[number]
/** True if an adjustment for this reason settles an amount at the lender's expense. */
export const isWaiver = (reason: LoanAdjustment['reason']): boolean => waiverReasons.some((waiver) => waiver === reason)

/** A foreclosure payment that was short by more than decision 24 waives (decision 54). */
export type ShortForeclosure = { paymentId: string; date: Day; shortPaise: Paise }

/** The loan on a business date, computed from its facts. */
export type LoanState = {
  status: LoanStatus
  /** The invariant that the engine violated. Present only if that made the status UNKNOWN. */
  violation?: string
  instalmentPaise: Paise
  rows: readonly ScheduleRow[]
  disbursedPaise: Paise
  principalOutstandingPaise: Paise
  /** Everything unpaid that has fallen due, including charges. */
  duesPaise: Paise
  dpd: number
  /** Due date of the oldest unpaid row. Null if there is none. */
  dueDate: Day | null
  instalmentsPaid: number
  instalmentsDue: number
  /** Received money that nothing was due for. */
  creditPaise: Paise
  /** Received money that is being refunded or was refunded to the payer. */
  heldPaise: Paise
  /**
   * Refunds that exceed the credit, because a fact became known later. The next credit covers them.
   */
  refundShortPaise: Paise
  allowed: AllowedPayments
  /** Allocations of the payments received up to the day, in the order of `facts.payments`. */
  allocations: readonly PaymentAllocation[]
  adjustments: readonly LoanAdjustment[]
  /** By date. */
  shortForeclosures: readonly ShortForeclosure[]
  /**
   * Deferred interest that is capitalised when EMIs begin, on a day that can be in the future
   * (decision 25). Null if there is none.
   */
  capitalised: { date: Day; amountPaise: Paise } | null
  /** The equated instalment from the next period on, after a part payment or a rate change. */
  nextInstalmentPaise: Paise
  /** Charges derived from the product's rule that are not stored yet (decision 21). */
  derivedCharges: readonly Charge[]
  /**
   * The ids of stored charges of which nothing is owed because they have no cause, as later facts
   * show: a waived late charge of an instalment paid in time, or the waived charge of a foreclosure
   * that was reversed, or that was waived whole on its own day.
   */
  voidCharges: readonly string[]
}

/** The paid paise of each charge, by payments and by credit. */
export function sumPaidByCharge({ allocations, adjustments }: Pick<LoanState, 'allocations' | 'adjustments'>): Map<string, bigint> {
  const paid = new Map<string, bigint>()
  const add = ({ chargeId, amountPaise }: AllocationLine) => {
    if (chargeId !== null) paid.set(chargeId, (paid.get(chargeId) ?? 0n) + amountPaise)
  }
  for (const { lines } of allocations) lines.forEach(add)
  for (const { lines } of adjustments) lines.forEach(add)
  return paid
}

/** What is pending of a row's charges, by charge type. */
export function sumPendingByType({ charges }: ScheduleRow): [chargeType: string, pendingPaise: Paise][] {
  const types = [...new Set(charges.map(({ chargeType }) => chargeType))]
  return types.map((type) => [
    type,
    sumPaise(charges.filter(({ chargeType }) => chargeType === type).map(({ pendingPaise }) => pendingPaise)),
  ])
}

/** What the loan's own adjustments have waived of a charge: they count as paid. */
export const sumWaivedBy = ({ adjustments }: LoanState, chargeId: string): Paise =>
  sumPaise(
    adjustments
      .filter(({ reason }) => isWaiver(reason))
      .flatMap(({ lines }) => lines.filter((line) => line.chargeId === chargeId).map(({ amountPaise }) => amountPaise)),
  )
