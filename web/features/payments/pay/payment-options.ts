import type { AllowedPayments, AmountParts } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { linkMinimumPaise, type PaymentPurpose } from '#domain/payments.ts'
import type { PaymentOptionKind } from '../payments-controller.ts'

/**
 * A payment option as its card shows it. With `isOffered` false the card is disabled and shows why.
 */
export type PaymentOption =
  | { kind: 'overdue'; isOffered: boolean; amount: Paise; dpd: number; parts: AmountParts }
  | { kind: 'next_emi'; isOffered: true; amount: Paise; dueDate: Day; parts: AmountParts }
  | { kind: 'part_payment'; isOffered: boolean; min: Paise; max: Paise; isLimited: boolean }
  | { kind: 'foreclosure'; isOffered: true; amount: Paise; isLimited: boolean; parts: AmountParts }

/** Whether something is due, and is less than a payment link may carry. */
export const isBelowLinkMinimum = (amount: Paise): boolean => amount > 0n && amount < linkMinimumPaise

/**
 * The options in display order. What the lender does not offer at all (decision 34) has no card.
 */
export function listPaymentOptions(allowed: AllowedPayments): PaymentOption[] {
  const { overdue_payment: overdue, next_emi_payment: nextEmi, foreclosure_payment: foreclosure, part_payment: part } = allowed
  const options: PaymentOption[] = [
    { kind: 'overdue', isOffered: overdue.amount >= linkMinimumPaise, amount: overdue.amount, dpd: overdue.dpd, parts: overdue.parts },
  ]
  if (nextEmi !== undefined) {
    options.push({ kind: 'next_emi', isOffered: true, amount: nextEmi.amount, dueDate: nextEmi.due_date, parts: nextEmi.parts })
  }
  options.push({
    kind: 'part_payment',
    isOffered: part.min_allowed_amount > 0n || part.max_allowed_amount > 0n,
    min: part.min_allowed_amount,
    max: part.max_allowed_amount,
    isLimited: part.isLimited ?? false,
  })
  if (foreclosure !== undefined) {
    const { amount, isLimited, parts } = foreclosure
    options.push({ kind: 'foreclosure', isOffered: true, amount, isLimited, parts })
  }
  return options
}

/** What can be chosen first, in display order; then what cannot, which is shown as lines. */
export const sortByOffer = (options: readonly PaymentOption[]): PaymentOption[] => [
  ...options.filter(({ isOffered }) => isOffered),
  ...options.filter(({ isOffered }) => !isOffered),
]

/**
 * Whether the option can become a payment link: offered, and within the limit of a link (decision
 * 9).
 */
export function isPayable(option: PaymentOption): boolean {
  return option.isOffered && !(option.kind === 'foreclosure' && option.isLimited)
}

export const purposeOf = {
  overdue: 'OVERDUE',
  next_emi: 'PAY_EMI',
  foreclosure: 'FORECLOSURE',
} as const satisfies Record<Exclude<PaymentOptionKind, 'part_payment'>, PaymentPurpose>
