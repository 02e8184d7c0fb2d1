import * as z from 'zod/mini'
import type { PaymentPurpose } from '#domain/payments.ts'
import { readTyped, rememberTyped } from '#web/session/typed-entry.ts'

export type PartPaymentPurpose = Extract<PaymentPurpose, `PART_PAYMENT__${string}`>
export const partPaymentPurposes = ['PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'] as const satisfies PartPaymentPurpose[]

/** What is entered for a part payment. */
const partPaymentEntry = z.object({
  text: z.string().check(z.maxLength(20)),
  purpose: z.enum(partPaymentPurposes),
})
export type PartPaymentEntry = z.output<typeof partPaymentEntry>

/** Where it is kept while its dialog is open. */
export const getPartPaymentPlace = (lan: string): string => `part payment ${lan}`

/** The dialog of this loan opens with the entry. */
export const rememberPartPaymentEntry = (lan: string, entry: PartPaymentEntry): void => rememberTyped(getPartPaymentPlace(lan), entry)

/** Null if nothing was entered for this loan. */
export const readPartPaymentEntry = (lan: string): PartPaymentEntry | null => readTyped(getPartPaymentPlace(lan), partPaymentEntry)
