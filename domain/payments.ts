import type { Day } from './calendar.ts'
import type { Paise } from './money.ts'

export const paymentPurposes = ['PAY_EMI', 'OVERDUE', 'FORECLOSURE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'] as const
export type PaymentPurpose = (typeof paymentPurposes)[number]

/** How a link stands at the provider (spec §3). */
export const paymentLinkStatuses = ['created', 'paid', 'partially_paid', 'expired', 'cancelled'] as const
export type PaymentLinkStatus = (typeof paymentLinkStatuses)[number]

/** What an offered amount is made of; the parts add up to it. */
export type AmountParts = {
  principalPaise: Paise
  interestPaise: Paise
  chargesPaise: Paise
  taxPaise: Paise
}

/** What may be paid on a day. `overdue` and `partPayment` are zero when nothing is to be paid; the others are null when not offered (decision 34). */
export type AllowedPayments = {
  overdue: { amountPaise: Paise; dpd: number; parts: AmountParts }
  nextEmi: { amountPaise: Paise; dueDate: Day; parts: AmountParts } | null
  foreclosure: { amountPaise: Paise; isLimited: boolean; parts: AmountParts } | null
  partPayment: { minPaise: Paise; maxPaise: Paise }
}

export type PaymentRefusal = 'not_offered' | 'wrong_amount' | 'below_minimum' | 'above_maximum' | 'above_link_limit'
