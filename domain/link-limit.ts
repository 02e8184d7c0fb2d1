import { smallerPaise, zeroPaise } from './money.ts'
import type { AllowedPayments } from './payments.ts'

/**
 * What payment links can collect. A part payment is capped at the maximum of one link, so that
 * every offered amount is accepted. Foreclosure keeps its full amount and is marked as limited
 * (decision 9).
 */
export function withinOneLink(allowed: AllowedPayments): AllowedPayments {
  const { minPaise, maxPaise } = allowed.partPayment
  const cappedPaise = smallerPaise(maxPaise, allowed.linkMaximumPaise)
  if (minPaise > cappedPaise) return { ...allowed, partPayment: { minPaise: zeroPaise, maxPaise: zeroPaise } }
  const isLimited = cappedPaise < maxPaise
  return { ...allowed, partPayment: { minPaise, maxPaise: cappedPaise, ...(isLimited && { isLimited }) } }
}
