import type { Day } from './calendar.ts'
import { paise, type Paise } from './money.ts'

export const paymentPurposes = ['PAY_EMI', 'OVERDUE', 'FORECLOSURE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'] as const
export type PaymentPurpose = (typeof paymentPurposes)[number]

/** The provider's name in its tables, and as the source of ledger transactions. */
export const providerName = 'razorpay'

/** Whether money came or went through the provider, and was not recorded by people. */
export const isFromProvider = ({ source }: { source: string }): boolean => source === providerName

/** Whether a payment is made to close the loan or to repay principal ahead. */
export const repaysMoreThanDues = (purpose: PaymentPurpose): boolean => purpose !== 'PAY_EMI' && purpose !== 'OVERDUE'

/** The status of a link at the provider (spec §3). */
export const paymentLinkStatuses = ['created', 'paid', 'partially_paid', 'expired', 'cancelled'] as const
export type PaymentLinkStatus = (typeof paymentLinkStatuses)[number]

/** The parts of an offered amount. They sum to it. */
export type AmountParts = {
  principalPaise: Paise
  interestPaise: Paise
  chargesPaise: Paise
  taxPaise: Paise
}

/** What closes the loan: what is owed, less the borrower's own money (decision 24). */
export type ForeclosureOffer = {
  amountPaise: Paise
  isLimited: boolean
  /** As the payment settles them: the borrower's own money is deducted. */
  parts: AmountParts
  /** Before that deduction. */
  owedParts: AmountParts
  /** The loan's credit, which is deducted. */
  creditPaise: Paise
  /** Interest paid ahead for later days, which is deducted. */
  rebatePaise: Paise
}

/**
 * What can be paid on a day. `overdue` and `partPayment` are zero if nothing can be paid; the
 * others are null if not offered (decision 34).
 */
export type AllowedPayments = {
  overdue: { amountPaise: Paise; dpd: number; parts: AmountParts }
  nextEmi: { amountPaise: Paise; dueDate: Day; parts: AmountParts } | null
  foreclosure: ForeclosureOffer | null
  /** `isLimited`: the maximum is that of one payment link. */
  partPayment: { minPaise: Paise; maxPaise: Paise; isLimited?: true }
  /** The maximum of one payment link. */
  linkMaximumPaise: Paise
}

export type PaymentRefusal = 'not_offered' | 'wrong_amount' | 'below_minimum' | 'above_maximum' | 'above_link_limit'

/** The provider makes no link for less (Razorpay, "Create a Standard Payment Link"). */
export const linkMinimumPaise = paise(100n)

const refuseExact = (option: { amountPaise: Paise } | null, amountPaise: Paise): PaymentRefusal | null => {
  if (option === null || option.amountPaise === 0n) return 'not_offered'
  return option.amountPaise === amountPaise ? null : 'wrong_amount'
}

function refusePart(range: AllowedPayments['partPayment'], amountPaise: Paise): PaymentRefusal | null {
  if (range.maxPaise === 0n) return 'not_offered'
  if (amountPaise < range.minPaise) return 'below_minimum'
  return amountPaise > range.maxPaise ? 'above_maximum' : null
}

function refuseByOffer(allowed: AllowedPayments, purpose: PaymentPurpose, amountPaise: Paise): PaymentRefusal | null {
  switch (purpose) {
    case 'OVERDUE':
      return refuseExact(allowed.overdue, amountPaise)
    case 'PAY_EMI':
      return refuseExact(allowed.nextEmi, amountPaise)
    case 'FORECLOSURE':
      return refuseExact(allowed.foreclosure, amountPaise)
    case 'PART_PAYMENT__REDUCE_EMI':
    case 'PART_PAYMENT__REDUCE_TENOR':
      return refusePart(allowed.partPayment, amountPaise)
  }
}

/** Why a payment link may not be created now. Null if it may (decisions 9 and 34). */
export function refusePayment(allowed: AllowedPayments, purpose: PaymentPurpose, amountPaise: Paise): PaymentRefusal | null {
  const refusal = refuseByOffer(allowed, purpose, amountPaise)
  if (refusal !== null) return refusal
  return amountPaise > allowed.linkMaximumPaise ? 'above_link_limit' : null
}
