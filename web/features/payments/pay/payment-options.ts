import type { AllowedPayments, AmountParts } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import { paise, sumPaise, type Paise } from '#domain/money.ts'
import { linkMinimumPaise, type PaymentPurpose } from '#domain/payments.ts'
import type { Schedule } from '#web/loan/loan-queries.ts'
import type { PaymentOptionKind } from '../payments-controller.ts'

/**
 * A payment option as its card shows it. With `isOffered` false the card is disabled and shows why.
 */
export type PaymentOption =
  | { kind: 'overdue'; isOffered: boolean; amount: Paise; dpd: number; isLimited: boolean; parts: AmountParts }
  | { kind: 'next_emi'; isOffered: boolean; amount: Paise; dueDate: Day; isLimited: boolean; parts: AmountParts }
  | { kind: 'part_payment'; isOffered: boolean; min: Paise; max: Paise; isLimited: boolean }
  | { kind: 'foreclosure'; isOffered: boolean; amount: Paise; isLimited: boolean; parts: AmountParts }

/** Whether an amount is not less than a payment link may carry: the server refuses one that is. */
const isCarried = (amount: Paise): boolean => amount >= linkMinimumPaise

/** Whether something is due, and is less than a payment link may carry. */
export const isBelowLinkMinimum = (amount: Paise): boolean => amount > 0n && amount < linkMinimumPaise

/** Whether the next EMI contains what is overdue: of an EMI, and less than a link carries. */
export const isPaidWithNextEmi = ({ overdue_payment: { amount, dpd }, next_emi_payment: nextEmi }: AllowedPayments): boolean =>
  nextEmi !== undefined && dpd > 0 && isBelowLinkMinimum(amount)

/**
 * Whether an amount below a link's minimum is paid with a later EMI: each EMI's offer contains the
 * rests of those before it (docs/decisions/0206). A charge alone is in none, and after the last EMI
 * there is none.
 */
export function isPaidWithLaterEmi(kind: PaymentOptionKind, { allowed_payments: allowed, repayment_schedule: rows }: Schedule): boolean {
  const { overdue_payment: overdue, next_emi_payment: nextEmi } = allowed
  if (nextEmi === undefined || kind === 'foreclosure' || (kind === 'overdue' && overdue.dpd === 0)) return false
  const later = rows.filter(({ status, due_date: due }) => status === 'Due' && due > nextEmi.due_date)
  return nextEmi.amount + sumPaise(later.map(({ pending_amount: pending }) => pending)) >= linkMinimumPaise
}

/**
 * The options in display order. What the lender does not offer at all (decision 34) has no card.
 */
export function listPaymentOptions(allowed: AllowedPayments): PaymentOption[] {
  const { overdue_payment: overdue, next_emi_payment: nextEmi, foreclosure_payment: foreclosure, part_payment: part } = allowed
  const options: PaymentOption[] = [
    {
      kind: 'overdue',
      isOffered: isCarried(overdue.amount),
      amount: overdue.amount,
      dpd: overdue.dpd,
      isLimited: overdue.isLimited ?? false,
      parts: overdue.parts,
    },
  ]
  if (nextEmi !== undefined) {
    const { amount, due_date: dueDate, isLimited = false, parts } = nextEmi
    options.push({ kind: 'next_emi', isOffered: isCarried(amount), amount, dueDate, isLimited, parts })
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
    options.push({ kind: 'foreclosure', isOffered: isCarried(amount), amount, isLimited, parts })
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
export const isPayable = (option: PaymentOption): boolean => option.isOffered && !isAboveLink(option)

/** Whether the amount, which cannot be divided, is more than a link may carry. */
export const isAboveLink = (option: PaymentOption): boolean => option.kind !== 'part_payment' && option.isLimited

/** The principal that is left after an option with parts; null if the payment closes the loan. */
export const principalAfter = (outstanding: Paise, { kind, parts }: Exclude<PaymentOption, { kind: 'part_payment' }>): Paise | null =>
  kind === 'foreclosure' ? null : paise(outstanding - parts.principal)

export const purposeOf = {
  overdue: 'OVERDUE',
  next_emi: 'PAY_EMI',
  foreclosure: 'FORECLOSURE',
} as const satisfies Record<Exclude<PaymentOptionKind, 'part_payment'>, PaymentPurpose>
