import * as z from 'zod/mini'
import { writeStored } from '#web/storage.ts'
import { readStoredJson } from '#web/stored-json.ts'

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

export const readStartedPayment = (): StartedPayment | null => readStoredJson(startedPayment, key, 'sessionStorage')

export const forgetStartedPayment = (): void => writeStored(key, null, 'sessionStorage')
