/**
 * What the sandbox remembers. Field names are the provider's, so that most of a record is also its
 * JSON; times are Unix seconds (0 when unset, as the provider writes them), amounts are paise.
 */

export type LinkStatus = 'created' | 'partially_paid' | 'paid' | 'expired' | 'cancelled'
export type PaymentStatus = 'created' | 'authorized' | 'captured' | 'refunded' | 'failed'
export type Method = 'upi' | 'card' | 'netbanking'
export type Notes = Readonly<Record<string, string | number>>

/** An entry of a link's `payments`: only captured payments are listed. */
export type LinkPayment = {
  readonly amount: number
  readonly created_at: number
  readonly method: Method
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
  readonly status: LinkStatus
  /** Made when the customer first opens the page, not with the link. */
  readonly order_id: string | null
  readonly payments: readonly LinkPayment[] | null
}

export type Order = {
  readonly id: string
  readonly link_id: string
  readonly amount: number
  readonly amount_paid: number
  readonly currency: string
  readonly receipt: string
  readonly status: 'created' | 'attempted' | 'paid'
  readonly attempts: number
  readonly notes: Notes | null
  readonly created_at: number
}

export type Payment = {
  readonly id: string
  readonly link_id: string
  readonly order_id: string
  readonly amount: number
  readonly currency: string
  readonly status: PaymentStatus
  readonly method: Method
  readonly captured: boolean
  readonly amount_refunded: number
  readonly vpa: string | null
  readonly bank: string | null
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
  /** Sandbox clock, ms: when a late authorisation arrives; null when none is on its way. */
  readonly late_at_ms: number | null
}

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
}

/** One webhook event. Body and secret are fixed when it happens: every retry sends the same bytes. */
export type WebhookEvent = {
  readonly id: string
  readonly event: string
  readonly link_id: string
  readonly body: string
  readonly secret: string
  readonly created_at_ms: number
}

/** One try at handing an event over; `status` null with `error` when no answer came. */
export type Attempt = {
  readonly id: string
  readonly event_id: string
  readonly at_ms: number
  readonly took_ms: number
  readonly status: number | null
  readonly error: string | null
  readonly fault: string | null
}

/** Where an event stands on its way; its id is the event's. */
export type Delivery = {
  readonly id: string
  readonly status: 'pending' | 'delivered' | 'dropped' | 'abandoned'
  readonly due_at_ms: number
  /** Tries made on schedule; replays by hand are not among them. */
  readonly attempts: number
  /** A delay fault holds an event back once, not on every attempt. */
  readonly delayed: boolean
}

/** The sandbox's clock as stored: milliseconds added to the system clock. */
export type ClockRecord = { readonly id: 'clock'; readonly offset_ms: number }

/** Every kind of record, by the name it has in the journal. */
export type Kinds = {
  link: Link
  order: Order
  payment: Payment
  refund: Refund
  event: WebhookEvent
  delivery: Delivery
  attempt: Attempt
  clock: ClockRecord
}
export type Kind = keyof Kinds
/** One record's new state. */
export type Change = { [K in Kind]: readonly [K, Kinds[K]] }[Kind]
