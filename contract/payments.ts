import * as z from 'zod/mini'
import { paymentLinkStatuses, paymentPurposes } from '#domain/payments.ts'
import { amount } from './amount.ts'
import { instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

export const paymentLink = z.object({
  payment_link_id: z.string(),
  /** The provider's id of the payment that settled it; null until one has. */
  payment_id: z.nullable(z.string()),
  amount,
  purpose: z.enum(paymentPurposes),
  status: z.enum(paymentLinkStatuses),
  created_at: instant,
  redirect_url: z.string(),
  /** True once every captured payment of the link is in the loan's ledger. */
  rps_updated: z.boolean(),
  /** Ours: when the link stops taking money, and when it was paid. */
  expires_at: z.nullable(instant),
  paid_at: z.nullable(instant),
  method: z.nullable(z.string()),
  bank_reference: z.nullable(z.string()),
})
export type PaymentLink = z.output<typeof paymentLink>

/** Makes a payment link for exactly what is offered (decisions 34, 37, 38). */
export const createPaymentLink = endpoint({
  method: 'POST',
  path: '/portal/payment-link',
  access: 'payment_link:create',
  summary: 'Make a payment link',
  query: z.object({ use_razorpay: z.optional(z.enum(['true', 'false'])) }),
  body: z.object({
    amount,
    lead_id: identifier,
    purpose: z.enum(paymentPurposes),
    application_id: identifier,
    callback_url: z.string().check(z.maxLength(300)),
  }),
  response: z.object({ redirect_url: z.string(), payment_link_id: z.string(), amount, expires_at: z.nullable(instant) }),
  errors: [
    'NotFound',
    'PaymentNotAllowed',
    'PaymentAlreadyPending',
    'PaymentGatewayRefused',
    'PaymentGatewayUnavailable',
    'IdempotencyKeyReused',
  ],
})

/** The one link that stands in the way of a new payment, or null (decision 37). */
export const readOngoingPayment = endpoint({
  method: 'GET',
  path: '/portal/ongoing-payment',
  access: 'session',
  summary: 'The pending payment link of a loan',
  query: z.object({ application_id: identifier }),
  response: z.object({ payment_link: z.nullable(paymentLink) }),
  errors: ['NotFound'],
})

/** Links that received money and no longer stand in the way, newest first (decision 37). */
export const readCompletedPayments = endpoint({
  method: 'GET',
  path: '/portal/completed-payments',
  access: 'session',
  summary: 'The completed payments of a loan',
  query: z.object({ application_id: identifier }),
  response: z.object({ payment_links: z.array(paymentLink) }),
  errors: ['NotFound'],
})

/** How a link stands; the waiting page polls it. */
export const readPaymentLinkStatus = endpoint({
  method: 'GET',
  path: '/portal/payment-link/status',
  access: 'session',
  summary: 'How a payment link stands',
  query: z.object({ payment_link_id: identifier }),
  response: z.object({ status: z.enum(paymentLinkStatuses), rps_updated: z.boolean() }),
  errors: ['NotFound'],
})

/** Cancels a link that took no money (decision 39). */
export const cancelPaymentLink = endpoint({
  method: 'PATCH',
  path: '/payments/payment-link/cancel',
  access: 'payment_link:update',
  summary: 'Cancel a payment link',
  query: z.object({ payment_link_id: identifier }),
  response: z.object({ success: z.literal(true), payment_link: paymentLink }),
  errors: ['NotFound', 'PaymentLinkNotCancellable', 'PaymentGatewayUnavailable'],
})
