import * as z from 'zod/mini'
import { documentLanguages } from '#domain/documents.ts'
import { paymentComponents } from '#domain/payment-parts.ts'
import { paymentLinkStatuses, paymentPurposes } from '#domain/payments.ts'
import { refundStatuses } from '#domain/refunds.ts'
import { amount } from './amount.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/**
 * A refund of a link's money to the payer. `failed`: it was not sent yet, and the lender checks it.
 */
const paymentRefund = z.object({
  amount,
  /** The payer's bank took the money back; nobody sent it. Absent: it is a refund. */
  taken_by_bank: z.optional(z.literal(true)),
  status: z.enum(refundStatuses),
  asked_at: instant,
  processed_at: z.nullable(instant),
  /** The payer's bank knows the refund by this reference. */
  bank_reference: z.nullable(z.string()),
})
export type PaymentRefund = z.output<typeof paymentRefund>

export const paymentLink = z.object({
  payment_link_id: z.string(),
  /** The provider's id of the payment that paid the link. Null before that. */
  payment_id: z.nullable(z.string()),
  amount,
  purpose: z.enum(paymentPurposes),
  status: z.enum(paymentLinkStatuses),
  created_at: instant,
  redirect_url: z.string(),
  /** True once every captured payment of the link is in the loan's ledger. */
  rps_updated: z.boolean(),
  /** Not in the specification: when the link expires, and when it was paid. */
  expires_at: z.nullable(instant),
  paid_at: z.nullable(instant),
  method: z.nullable(z.string()),
  bank_reference: z.nullable(z.string()),
  /**
   * Not in the specification: refunds of the link's money, oldest first. Absent if there are none.
   */
  refunds: z.optional(z.array(paymentRefund)),
  /** Not in the specification: the receipt numbers of a completed payment. */
  receipts: z.optional(z.array(z.string())),
  /**
   * Not in the specification: how much of a completed payment counts for the loan. Absent if its
   * whole amount does.
   */
  counted: z.optional(amount),
  /**
   * Not in the specification: the state of the refund that sends a completed payment back. Absent
   * unless refunds send back all of it.
   */
  refund_status: z.optional(z.enum(refundStatuses)),
})
export type PaymentLink = z.output<typeof paymentLink>

/**
 * What part of a payment pays. Principal without an instalment is prepaid: a part payment or a
 * foreclosure.
 */
const paymentPart = z.object({
  component: z.enum(paymentComponents),
  amount,
  instalment_number: z.optional(z.int()),
  due_date: z.optional(day),
  charge_type: z.optional(z.string()),
})
export type PaymentPart = z.output<typeof paymentPart>

/**
 * The parts of a link's amount. They sum to it. The quote is valid until the end of its India day,
 * and no link outlives it (decision 24).
 */
export const quote = z.object({ parts: z.array(paymentPart), valid_until: instant })
export type Quote = z.output<typeof quote>

/** Creates a payment link for an amount that is offered (decisions 34, 37, 38). */
export const createPaymentLink = endpoint({
  method: 'POST',
  path: '/portal/payment-link',
  idempotent: true,
  access: 'payment_link:create',
  summary: 'Create a payment link',
  query: z.object({
    use_razorpay: z.optional(z.enum(['true', 'false'])),
    /** Not in the specification: the language of the page that the link opens. */
    language: z.optional(z.enum(documentLanguages)),
  }),
  body: z.object({
    amount,
    lead_id: identifier,
    purpose: z.enum(paymentPurposes),
    application_id: identifier,
    callback_url: z.string().check(z.maxLength(300)),
  }),
  response: z.object({
    redirect_url: z.string(),
    /** The rest is not in the specification. The portal always sends it; clients can ignore it. */
    payment_link_id: z.optional(z.string()),
    amount: z.optional(amount),
    expires_at: z.optional(z.nullable(instant)),
    /** Not in the specification. As in the pending payment. */
    quote: z.optional(z.nullable(quote)),
  }),
  errors: [
    'NotFound',
    'PaymentNotAllowed',
    'PaymentAlreadyPending',
    'AutopayInProgress',
    'PaymentGatewayRefused',
    'PaymentGatewayUnavailable',
    'IdempotencyKeyReused',
    'RequestInProgress',
    'TooManyRequests',
  ],
})

/**
 * Not in the specification: the quote of the link. Null for links from before quotes were stored by
 * parts.
 */
export const ongoingPayment = z.extend(paymentLink, { quote: z.optional(z.nullable(quote)) })
export type OngoingPayment = z.output<typeof ongoingPayment>

/** The link that blocks a new payment, or null (decision 37). */
export const readOngoingPayment = endpoint({
  method: 'GET',
  path: '/portal/ongoing-payment',
  access: 'session',
  summary: 'The pending payment link of a loan',
  query: z.object({ application_id: identifier }),
  response: z.object({ payment_link: z.nullable(ongoingPayment) }),
  errors: ['NotFound'],
})

/** Links that received money and do not block a new payment, newest first (decision 37). */
export const readCompletedPayments = endpoint({
  method: 'GET',
  path: '/portal/completed-payments',
  access: 'session',
  summary: 'The completed payments of a loan',
  query: z.object({ application_id: identifier }),
  response: z.object({ payment_links: z.array(paymentLink) }),
  errors: ['NotFound'],
})

/** The status of a link. The waiting page polls it. */
export const readPaymentLinkStatus = endpoint({
  method: 'GET',
  path: '/portal/payment-link/status',
  access: 'session',
  summary: 'The status of a payment link',
  query: z.object({ payment_link_id: identifier }),
  response: z.object({ status: z.enum(paymentLinkStatuses), rps_updated: z.boolean() }),
  errors: ['NotFound'],
})

/** Cancels a link that received no money (decision 39). */
export const cancelPaymentLink = endpoint({
  method: 'PATCH',
  path: '/payments/payment-link/cancel',
  access: 'payment_link:update',
  summary: 'Cancel a payment link',
  query: z.object({ payment_link_id: identifier }),
  response: z.object({ success: z.literal(true), payment_link: paymentLink }),
  errors: ['NotFound', 'PaymentLinkNotCancellable', 'PaymentGatewayUnavailable'],
})

/** The steps of a payment, in their usual order. */
export const trailSteps = [
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
 * One step of a payment. `paid`: at the provider. `received`: known to the portal. `applied` and
 * `receipt`: in the loan's ledger, with the allocation. `foreclosure_short`: it did not close the
 * loan; `amount` was missing on that day. `late_charge_waived`: a late charge that the quote did
 * not contain. `reallocated`: the allocation changed because an earlier fact became known.
 * `reversed`: it no longer counts. The step decides which fields are present.
 */
export const trailStep = z.object({
  step: z.enum(trailSteps),
  at: instant,
  amount: z.optional(amount),
  /** The provider's id of the payment. A link can receive several. */
  payment_id: z.optional(z.string()),
  method: z.optional(z.string()),
  /** The payer's bank knows the payment by this reference. */
  bank_reference: z.optional(z.string()),
  allocation: z.optional(z.array(paymentPart)),
  receipt_number: z.optional(z.string()),
})
export type TrailStep = z.output<typeof trailStep>

/**
 * What a link's money changed, on the day of its last payment: the outstanding principal and the
 * unpaid instalments without it and with it. `received` leaves out what goes back to the payer.
 */
const paymentEffect = z.object({
  received: amount,
  principal_before: amount,
  principal_after: amount,
  instalments_left_before: z.int(),
  instalments_left_after: z.int(),
  /** The EMI if the money changed it, and the first due date of the new one. */
  emi: z.optional(z.object({ before: amount, after: amount, from: day })),
})

/**
 * The steps of a payment in the order of time, from the request for its link to the allocation of
 * its money.
 */
export const readPaymentTrail = endpoint({
  method: 'GET',
  path: '/portal/payments/:payment_link_id/trail',
  access: 'session',
  summary: 'The steps of a payment',
  params: z.object({ payment_link_id: identifier }),
  response: z.object({
    lan: z.string(),
    payment_link: paymentLink,
    steps: z.array(trailStep),
    /** Null while no money of the link counts for the loan. */
    effect: z.nullable(paymentEffect),
  }),
  errors: ['NotFound'],
})
