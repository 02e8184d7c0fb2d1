import * as z from 'zod/mini'
import { readStored, writeStored } from '#web/storage.ts'

const key = 'startedPayment'

/**
 * The payment for which the browser left for the provider's page: the redirect back has only the
 * link's id. The amount is paise as text. Kept for this tab only; without it the screens show less.
 */
const startedPayment = z.object({
  lan: z.string(),
  paymentLinkId: z.string(),
  amount: z.string().check(z.regex(/^\d+$/)),
})
type StartedPayment = z.output<typeof startedPayment>

export function rememberStartedPayment(payment: StartedPayment): void {
  writeStored(key, JSON.stringify(payment), 'sessionStorage')
}

export function readStartedPayment(): StartedPayment | null {
  try {
    const read = z.safeParse(startedPayment, JSON.parse(readStored(key, 'sessionStorage') ?? 'null'))
    return read.success ? read.data : null
  } catch {
    return null
  }
}

export const forgetStartedPayment = (): void => writeStored(key, null, 'sessionStorage')
