import { smallerPaise, zeroPaise, type Paise } from './money.ts'
import type { AllowedPayments } from './payments.ts'

/**
 * What may be paid through payment links: a part payment ends at what one link may carry, so that nothing is offered which
 * the link would then refuse. Foreclosure keeps its full amount and says that it is limited (decision 9).
 */
export function withinOneLink(allowed: AllowedPayments, linkMaximumPaise: Paise): AllowedPayments {
  const { minPaise, maxPaise } = allowed.partPayment
  const cappedPaise = smallerPaise(maxPaise, linkMaximumPaise)
  const isOffered = minPaise <= cappedPaise
  return { ...allowed, partPayment: isOffered ? { minPaise, maxPaise: cappedPaise } : { minPaise: zeroPaise, maxPaise: zeroPaise } }
}
