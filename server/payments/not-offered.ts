import type { PaymentRefusal } from '#domain/payments.ts'
import { Failure } from '../http/failure.ts'

const text: Record<PaymentRefusal, string> = {
  not_offered: 'This payment is not on offer for the loan today.',
  wrong_amount: 'The amount is not the one on offer today.',
  below_minimum: 'The amount is below the least that is on offer today.',
  above_maximum: 'The amount is above the most that is on offer today.',
  above_link_limit: 'The amount is more than one payment link may carry. Pay it by NEFT or RTGS.',
}

/** Why an amount may not be paid now (decision 34). */
export const notOffered = (refusal: PaymentRefusal) => new Failure('PaymentNotAllowed', text[refusal], { field: 'amount' })
