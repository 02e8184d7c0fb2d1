import * as z from 'zod/mini'
import { paymentPurposes } from '#domain/payments.ts'
import { readStored, writeStored } from '#web/storage.ts'

const key = 'paymentTrip'

/**
 * What the borrower was paying when the browser left for the provider's page: the way back brings only the link's id.
 * Amounts are paise as text. Kept for this tab only, and nothing depends on it: without it the screens say less.
 */
const paymentTrip = z.object({
  lan: z.string(),
  paymentLinkId: z.string(),
  purpose: z.enum(paymentPurposes),
  amount: z.string().check(z.regex(/^\d+$/)),
  outstandingBefore: z.string().check(z.regex(/^\d+$/)),
})
export type PaymentTrip = z.output<typeof paymentTrip>

export function rememberPaymentTrip(trip: PaymentTrip): void {
  writeStored(key, JSON.stringify(trip), 'sessionStorage')
}

export function readPaymentTrip(): PaymentTrip | null {
  try {
    const read = z.safeParse(paymentTrip, JSON.parse(readStored(key, 'sessionStorage') ?? 'null'))
    return read.success ? read.data : null
  } catch {
    return null
  }
}

export const forgetPaymentTrip = (): void => writeStored(key, null, 'sessionStorage')
