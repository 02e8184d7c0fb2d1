import * as z from 'zod/mini'
import { paise, type Paise } from '#domain/money.ts'
import { paymentLinkStatuses } from '#domain/payments.ts'
import type { CapturedPayment } from './payment-gateway.ts'

const paiseNumber = z.pipe(
  z.int().check(z.gte(0)),
  z.transform((value: number): Paise => paise(BigInt(value))),
)
const text = z.optional(z.nullable(z.string()))

/** The parts of a payment link that we use (Razorpay API, "Payment Links entity"). Unset values come in several shapes. */
export const linkEntity = z.object({
  id: z.string().check(z.regex(/^plink_[A-Za-z0-9]{14}$/)),
  reference_id: z.string(),
  status: z.enum(paymentLinkStatuses),
  amount: paiseNumber,
  short_url: z.url({ protocol: /^https?$/ }),
  payments: z.optional(z.nullable(z.union([z.array(z.object({ payment_id: z.string(), status: z.string() })), z.object({})]))),
})
export type LinkEntity = z.output<typeof linkEntity>

export const linkCollection = z.object({ payment_links: z.array(z.unknown()) })

/** The parts of a payment that we use; of a card never more than its last four digits. */
export const paymentEntity = z.object({
  id: z.string().check(z.regex(/^pay_[A-Za-z0-9]{14}$/)),
  amount: paiseNumber,
  currency: z.literal('INR'),
  status: z.string(),
  captured: z.optional(z.nullable(z.boolean())),
  method: text,
  vpa: text,
  bank: text,
  wallet: text,
  card: z.optional(z.nullable(z.object({ last4: text, network: text }))),
  fee: z.optional(z.nullable(paiseNumber)),
  tax: z.optional(z.nullable(paiseNumber)),
  acquirer_data: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  created_at: z.int(),
})
export type PaymentEntity = z.output<typeof paymentEntity>

export const capturedPaymentIds = ({ payments }: LinkEntity): string[] =>
  Array.isArray(payments) ? payments.filter(({ status }) => status === 'captured').map(({ payment_id }) => payment_id) : []

export function capturedPaymentOf(payment: PaymentEntity): CapturedPayment {
  return {
    providerPaymentId: payment.id,
    amountPaise: payment.amount,
    method: payment.method ?? null,
    instrument: instrumentOf(payment),
    bankReference: bankReferenceOf(payment.acquirer_data ?? {}),
    feePaise: payment.fee ?? null,
    taxPaise: payment.tax ?? null,
    paidAt: new Date(payment.created_at * 1_000),
  }
}

function instrumentOf({ vpa, card, bank, wallet }: PaymentEntity): string | null {
  if (card?.last4) return `${card.network ?? 'card'} ${card.last4}`
  return vpa ?? bank ?? wallet ?? null
}

/** The number under which the borrower's bank knows the payment: each method names it otherwise. */
function bankReferenceOf(acquirer: Record<string, unknown>): string | null {
  for (const name of ['rrn', 'bank_transaction_id', 'transaction_id', 'auth_code']) {
    const value = acquirer[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}
