import * as z from 'zod/mini'
import type { PaymentPurpose } from '#domain/payments.ts'
import { writeStored } from '#web/storage.ts'
import { readStoredJson } from '#web/stored-json.ts'

export type PartPaymentPurpose = Extract<PaymentPurpose, `PART_PAYMENT__${string}`>
export const partPaymentPurposes = ['PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'] as const satisfies PartPaymentPurpose[]

const key = 'partPayment'

/**
 * What was entered for a part payment, while its dialog is open: a reload shows it again. Kept for
 * this tab only.
 */
const partPaymentEntry = z.object({
  lan: z.string(),
  text: z.string().check(z.maxLength(20)),
  purpose: z.enum(partPaymentPurposes),
})
export type PartPaymentEntry = z.output<typeof partPaymentEntry>

export const rememberPartPaymentEntry = (entry: PartPaymentEntry): void => writeStored(key, JSON.stringify(entry), 'sessionStorage')

/** Null if nothing was entered for this loan. */
export function readPartPaymentEntry(lan: string): PartPaymentEntry | null {
  const entry = readStoredJson(partPaymentEntry, key, 'sessionStorage')
  return entry?.lan === lan ? entry : null
}

export const forgetPartPaymentEntry = (): void => writeStored(key, null, 'sessionStorage')
