/**
 * The records of the sandbox. Field names are the provider's, so that most of a record is also its
 * JSON; times are Unix seconds (0 when unset, as the provider writes them), amounts are paise.
 */

import type { Customer, MandatePayment, MandateTerms, Notification, Registration, Token } from './recurring/entities.ts'

export type LinkStatus = 'created' | 'partially_paid' | 'paid' | 'expired' | 'cancelled'
type PaymentStatus = 'created' | 'authorized' | 'captured' | 'refunded' | 'failed'
export type Method = 'upi' | 'card' | 'netbanking' | 'wallet' | 'bank_transfer'
/** The methods of a payment: a link is never paid by eMandate. */
export type PaymentMethod = Method | 'emandate'
export type Notes = Readonly<Record<string, string | number>>

/** An entry of a link's `payments`: only captured payments are listed. */
type LinkPayment = {
  readonly amount: number
  readonly created_at: number
  readonly method: PaymentMethod
  readonly payment_id: string
  readonly plink_id: string
  readonly status: 'captured'
  readonly updated_at: number
}

export type Link = {
  readonly id: string
  /** Last part of short_url. */
  readonly slug: string
  readonly amount: number
  readonly amount_paid: number
  readonly currency: string
  readonly accept_partial: boolean
  readonly first_min_partial_amount: number
  readonly description: string
  readonly reference_id: string
  readonly customer: Readonly<Record<string, string>>
  /** 0 when the merchant gave none; the link then lasts six months. */
  readonly expire_by: number
  readonly expired_at: number
  readonly cancelled_at: number
  readonly created_at: number
  readonly updated_at: number
  readonly notes: Notes | null
  readonly notify: { readonly email: boolean; readonly sms: boolean; readonly whatsapp: boolean }
  readonly callback_url: string
  readonly callback_method: string
  readonly reminder_enable: boolean
  /** The methods on the page: all that `options.checkout.method` does not disable. */
  readonly methods: readonly Method[]
  /** Paid in a UPI app only, which does not return to the merchant. */
  readonly upi_link: boolean
  readonly status: LinkStatus
  /** Created when the customer first opens the page. */
  readonly order_id: string | null
  readonly payments: readonly LinkPayment[] | null
}

export type Order = {
  readonly id: string
  /** '' for the order of a registration or a debit. */
  readonly link_id: string
  readonly amount: number
  readonly amount_paid: number
  readonly currency: string
  readonly receipt: string
  readonly status: 'created' | 'attempted' | 'paid'
  readonly attempts: number
  readonly notes: Notes | null
  readonly created_at: number
  /** Of the order of a registration. */
  readonly terms?: MandateTerms
  /** Of the order of a debit that the provider announces. */
  readonly notification?: Notification
}

export type Payment = {
  readonly id: string
  /** '' for the payment of a registration or a debit. */
  readonly link_id: string
  readonly order_id: string
  readonly amount: number
  readonly currency: string
  readonly status: PaymentStatus
  readonly method: PaymentMethod
  readonly captured: boolean
  readonly amount_refunded: number
  readonly vpa: string | null
  readonly bank: string | null
  readonly wallet: string | null
  readonly card: Readonly<Record<string, string | boolean>> | null
  readonly email: string | null
  readonly contact: string | null
  readonly notes: Notes | null
  /** Provider's fee with GST; null until captured. */
  readonly fee: number | null
  readonly tax: number | null
  readonly error: PaymentError | null
  readonly acquirer_data: Readonly<Record<string, string | null>>
  readonly created_at: number
  readonly planned: Planned<'captured' | 'failed' | 'refunded' | 'returned'> | null
  /** The settlement that paid it out; null until then. */
  readonly settlement_id: string | null
  /** Of the payment of a registration or a debit; absent for a link's. */
  readonly mandate?: MandatePayment
}

/** The next automatic change of a record, and its time in ms of the sandbox's clock. */
export type Planned<To extends string> = { readonly at_ms: number; readonly to: To }

/** Why a payment failed, in the provider's five fields. */
export type PaymentError = {
  readonly code: string
  readonly description: string
  readonly source: string
  readonly step: string
  readonly reason: string
}

export type Refund = {
  readonly id: string
  readonly payment_id: string
  readonly link_id: string
  readonly amount: number
  readonly currency: string
  readonly status: 'pending' | 'processed' | 'failed'
  readonly speed: string
  readonly receipt: string | null
  readonly notes: Notes | null
  readonly acquirer_data: Readonly<Record<string, string | null>>
  readonly created_at: number
  /** X-Refund-Idempotency of the request and the hash of its body. */
  readonly idempotency_key: string | null
  readonly request_hash: string
  /** The same key gets the first answer again, whatever the refund's status is now. */
  readonly answered_status: 'pending' | 'processed'
  readonly planned: Planned<'processed' | 'failed'> | null
  /** False for the refund of an uncaptured payment. */
  readonly from_balance: boolean
  readonly settlement_id: string | null
}

/** Neither payment nor refund: a lost dispute or a correction. */
export type Adjustment = {
  readonly id: string
  /** Paise; negative takes from the merchant. */
  readonly amount: number
  readonly description: string
  readonly dispute_id: string | null
  readonly created_at: number
  readonly settlement_id: string | null
}

/** A customer's bank demands a payment back. */
export type Dispute = {
  readonly id: string
  readonly payment_id: string
  readonly amount: number
  readonly currency: string
  readonly amount_deducted: number
  readonly reason_code: string
  readonly respond_by: number
  readonly status: 'open' | 'won' | 'lost'
  readonly created_at: number
}

/** One line of the provider's reconciliation report. */
export type ReconRow = Readonly<Record<string, string | number | boolean | null>>

export type Settlement = {
  readonly id: string
  readonly amount: number
  readonly status: 'processed'
  /** Fees of its payments, with tax. */
  readonly fees: number
  readonly tax: number
  readonly utr: string
  readonly created_at: number
  /** Its rows, as they were when it was paid out. */
  readonly rows: readonly ReconRow[]
}

/** One webhook event. Every retry sends the same bytes. */
export type WebhookEvent = {
  readonly id: string
  readonly event: string
  readonly link_id: string
  /** The order's receipt, of an event about a registration or a debit; a fault can match it. */
  readonly receipt?: string
  readonly body: string
  readonly created_at_ms: number
}

/** A merchant's webhook endpoint. */
export type Endpoint = {
  readonly id: string
  readonly url: string
  readonly secret: string
  /** Subscribed events; null means all. */
  readonly events: readonly string[] | null
  /** A disabled endpoint receives nothing; events are skipped until it is enabled. */
  readonly status: 'active' | 'disabled' | 'deleted'
  readonly enabled_at_ms: number
  readonly disabled_at_ms: number | null
}

/** The endpoint that the settings name. */
export const defaultEndpoint = 'default'

export function isSubscribed({ status, events }: Endpoint, event: string): boolean {
  return status !== 'deleted' && (events === null || events.includes(event))
}

/** One attempt to deliver an event; `status` is null with `error` when no answer came. */
export type Attempt = {
  readonly id: string
  readonly event_id: string
  readonly endpoint_id: string
  readonly at_ms: number
  readonly took_ms: number
  readonly status: number | null
  readonly error: string | null
  readonly fault: string | null
}

export const deliveryStatuses = ['pending', 'delivered', 'dropped', 'abandoned', 'skipped'] as const

/** The delivery of an event to one endpoint. */
export type Delivery = {
  readonly id: string
  readonly event_id: string
  readonly endpoint_id: string
  readonly secret: string
  readonly status: (typeof deliveryStatuses)[number]
  readonly due_at_ms: number
  /** Scheduled attempts; manual replays do not count. */
  readonly attempts: number
  /** Whether a fault has held it back already: it does so once, not on every attempt. */
  readonly delayed: boolean
}

/** The sandbox's clock as stored, in milliseconds. */
export type ClockRecord = {
  readonly id: 'clock'
  /** Added to the system clock; others follow it. */
  readonly offset_ms: number
  /** Added for the provider only, whose clock then differs from all others. */
  readonly skew_ms: number
  /** The time at which the provider's clock is stopped; null while it runs. */
  readonly frozen_at_ms: number | null
}

/** Every kind of record, by the name it has in the journal. */
export type Kinds = {
  link: Link
  order: Order
  payment: Payment
  refund: Refund
  adjustment: Adjustment
  dispute: Dispute
  settlement: Settlement
  event: WebhookEvent
  endpoint: Endpoint
  delivery: Delivery
  attempt: Attempt
  clock: ClockRecord
  customer: Customer
  registration: Registration
  token: Token
}
export type Kind = keyof Kinds
/** One record's new state. */
export type Change = { [K in Kind]: readonly [K, Kinds[K]] }[Kind]
