import * as z from 'zod/mini'
import { paymentComponents } from '#domain/payment-parts.ts'
import { paymentLinkStatuses, paymentPurposes } from '#domain/payments.ts'
import { refundStatuses } from '#domain/refunds.ts'
import { amount } from './amount.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/** Money of a link on its way back to who paid it. `failed`: it could not be sent yet, and the lender looks into it. */
const paymentRefund = z.object({
  amount,
  status: z.enum(refundStatuses),
  asked_at: instant,
  processed_at: z.nullable(instant),
  /** The number under which the payer's bank knows it. */
  bank_reference: z.nullable(z.string()),
})
export type PaymentRefund = z.output<typeof paymentRefund>

const paymentLink = z.object({
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
  /** Ours: what goes back of the money the link received, oldest first; absent where nothing does. */
  refunds: z.optional(z.array(paymentRefund)),
  /** Ours, of a completed payment: the numbers of its receipts. */
  receipts: z.optional(z.array(z.string())),
})
export type PaymentLink = z.output<typeof paymentLink>

/** What a part of a payment goes to. Principal without an instalment is principal before its time: a part payment, a foreclosure. */
const paymentPart = z.object({
  component: z.enum(paymentComponents),
  amount,
  instalment_number: z.optional(z.int()),
  due_date: z.optional(day),
  charge_type: z.optional(z.string()),
})
export type PaymentPart = z.output<typeof paymentPart>

/** What a link's amount is made of; the parts add up to it. It holds to the end of its India day, and no link outlives it (decision 24). */
export const quote = z.object({ parts: z.array(paymentPart), valid_until: instant })
export type Quote = z.output<typeof quote>

/** Makes a payment link for exactly what is offered (decisions 34, 37, 38). */
export const createPaymentLink = endpoint({
  method: 'POST',
  path: '/portal/payment-link',
  idempotent: true,
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
  response: z.object({
    redirect_url: z.string(),
    /** Ours, as all that follows: this portal always says them, and a client does without. */
    payment_link_id: z.optional(z.string()),
    amount: z.optional(amount),
    expires_at: z.optional(z.nullable(instant)),
    /** Ours, as in the pending payment. */
    quote: z.optional(z.nullable(quote)),
  }),
  errors: [
    'NotFound',
    'PaymentNotAllowed',
    'PaymentAlreadyPending',
    'PaymentGatewayRefused',
    'PaymentGatewayUnavailable',
    'IdempotencyKeyReused',
    'RequestInProgress',
    'TooManyRequests',
  ],
})

/** Ours: the quote it was made from; null for a link of before quotes were kept by their parts. */
export const ongoingPayment = z.extend(paymentLink, { quote: z.optional(z.nullable(quote)) })
export type OngoingPayment = z.output<typeof ongoingPayment>

/** The one link that stands in the way of a new payment, or null (decision 37). */
export const readOngoingPayment = endpoint({
  method: 'GET',
  path: '/portal/ongoing-payment',
  access: 'session',
  summary: 'The pending payment link of a loan',
  query: z.object({ application_id: identifier }),
  response: z.object({ payment_link: z.nullable(ongoingPayment) }),
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

/** What can be told of a payment, in the order in which it usually comes. */
const trailSteps = [
  'asked',
  'link_ready',
  'paid',
  'received',
  'applied',
  'receipt',
  'foreclosure_short',
  'late_charge_waived',
  'reallocated',
  'reversed',
  'expired',
  'cancelled',
  'in_review',
  'refund_asked',
  'refunded',
  'refund_failed',
] as const

/**
 * One thing that happened. `paid`: at the provider; `received`: known to us; `applied` and `receipt`: in the loan's ledger, with where
 * the money went; `foreclosure_short`: it was to close the loan and did not, `amount` was missing that day; `late_charge_waived`: a late
 * charge that its quote did not contain is not owed; `reallocated`: it goes elsewhere since something earlier became known; `reversed`: it counts no more. Which of the
 * fields are there depends on the step.
 */
const trailStep = z.object({
  step: z.enum(trailSteps),
  at: instant,
  amount: z.optional(amount),
  /** The provider's id of the payment it is about: a link may have received several. */
  payment_id: z.optional(z.string()),
  method: z.optional(z.string()),
  /** The number under which the payer's bank knows it. */
  bank_reference: z.optional(z.string()),
  allocation: z.optional(z.array(paymentPart)),
  receipt_number: z.optional(z.string()),
})
export type TrailStep = z.output<typeof trailStep>

/** What happened to a payment, from asking for its link to where its money went, in order of time. */
export const readPaymentTrail = endpoint({
  method: 'GET',
  path: '/portal/payments/:payment_link_id/trail',
  access: 'session',
  summary: 'What happened to a payment',
  params: z.object({ payment_link_id: identifier }),
  response: z.object({ payment_link: paymentLink, steps: z.array(trailStep) }),
  errors: ['NotFound'],
})
