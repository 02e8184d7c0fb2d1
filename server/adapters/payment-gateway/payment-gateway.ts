import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { PaymentLinkStatus } from '#domain/payments.ts'

/** What the provider is asked to make. */
export type LinkRequest = {
  /** Unique for ever; a link of unknown outcome is found again by it. At most 40 characters. */
  reference: string
  amountPaise: Paise
  description: string
  callbackUrl: string
  expiresAt: Date
}

/** A link as the provider tells it. */
export type LinkSnapshot = {
  paymentLinkId: string
  reference: string
  /** Null: a word that we do not know. It says nothing, so nothing follows from it. */
  status: PaymentLinkStatus | null
  amountPaise: Paise
  redirectUrl: string
  /** The payments it took, oldest first. */
  payments: readonly TakenPayment[]
}

/** A payment that was captured, or that the provider sent back by itself without capturing it. */
export type TakenPayment = {
  providerPaymentId: string
  amountPaise: Paise
  /** ISO 4217. Links ask for INR; anything else is for a person to look at. */
  currency: string
  /** False: sent back without ever having been ours. */
  captured: boolean
  /** How much of it went back, by whoever's hand. */
  refundedPaise: Paise
  method: string | null
  /** Masked: the last four digits of a card, a UPI address, a bank's code. */
  instrument: string | null
  bankReference: string | null
  feePaise: Paise | null
  taxPaise: Paise | null
  paidAt: Date
}

/** A payment as a list of the provider's has it, with what tells whose it is. */
export type ListedPayment = TakenPayment & {
  /** Our reference, where the payment carries it. */
  reference: string | null
  paymentLinkId: string | null
}

/** Sends money back to who paid it. */
export type RefundRequest = {
  providerPaymentId: string
  amountPaise: Paise
  /** Ours, and which try of it this is; the provider keeps both with the refund. */
  refundId: string
  tryNumber: number
  /** The same key and content are one refund, however often it is asked for: 10 characters or more of A–Z a–z 0–9 _ -. */
  key: string
}

/** A refund as the provider tells it. */
export type ProviderRefund = {
  providerRefundId: string
  providerPaymentId: string
  amountPaise: Paise
  /** Null: a word that we do not know. */
  status: 'pending' | 'processed' | 'failed' | null
  /** Ours; null for one that was made without us. */
  refundId: string | null
  tryNumber: number | null
  bankReference: string | null
  createdAt: Date
}

/** One line of what a settlement is made of. Amounts are as the provider reports them; `credit` is less the fee. */
export type SettlementLine = {
  settlementId: string
  utr: string | null
  settledAt: Date
  entityId: string
  /** Of a refund: the payment that it is of. */
  paymentId: string | null
  /** `payment`, `refund`, `adjustment` …; whatever else there is. */
  type: string
  debitPaise: Paise
  creditPaise: Paise
  amountPaise: Paise
  /** With its tax. */
  feePaise: Paise
  taxPaise: Paise
}

/** What was paid out at once. */
export type Settlement = {
  settlementId: string
  amountPaise: Paise
  feesPaise: Paise
  taxPaise: Paise
  utr: string | null
  createdAt: Date
}

/** `unknown`: the provider may or may not have done it. Ask by the reference; never blindly do it again. */
export type CreateOutcome =
  | { kind: 'created'; link: LinkSnapshot }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string }
export type FindOutcome = { kind: 'found'; link: LinkSnapshot } | { kind: 'absent' } | { kind: 'unknown'; reason: string }
/** `not_cancellable`: it is paid, partly paid, expired or cancelled already; fetch it to see which. */
export type CancelOutcome = { kind: 'cancelled'; link: LinkSnapshot } | { kind: 'not_cancellable' } | { kind: 'unknown'; reason: string }

type Unknown = { kind: 'unknown'; reason: string }
/** `refused`: it will not, whatever is asked again under this key. `unknown`: it may have, or it will later: ask again under the same key. */
export type RefundOutcome = { kind: 'accepted'; refund: ProviderRefund } | { kind: 'refused'; reason: string } | Unknown
export type RefundsOutcome = { kind: 'found'; refunds: readonly ProviderRefund[] } | Unknown
export type PaymentOutcome = { kind: 'found'; payment: ListedPayment } | { kind: 'absent' } | Unknown
export type PaymentsOutcome = { kind: 'found'; payments: readonly ListedPayment[] } | Unknown
export type SettlementLinesOutcome = { kind: 'found'; lines: readonly SettlementLine[] } | Unknown
export type SettlementOutcome = { kind: 'found'; settlement: Settlement } | Unknown

/** The payment provider, as far as Kist needs one. No method throws for what the provider or the network does. */
export type PaymentGateway = {
  createLink(request: LinkRequest): Promise<CreateOutcome>
  findLinkByReference(reference: string): Promise<FindOutcome>
  fetchLink(paymentLinkId: string): Promise<FindOutcome>
  cancelLink(paymentLinkId: string): Promise<CancelOutcome>
  /** A payment that was captured or sent back; `absent` while it is neither. */
  fetchPayment(providerPaymentId: string): Promise<PaymentOutcome>
  /** The payments begun from one moment to another, as far as they were captured or sent back. */
  paymentsBetween(from: Date, to: Date): Promise<PaymentsOutcome>
  refundPayment(request: RefundRequest): Promise<RefundOutcome>
  refundsOf(providerPaymentId: string): Promise<RefundsOutcome>
  /** What the settlements of an India day are made of. */
  settlementLinesOf(day: Day): Promise<SettlementLinesOutcome>
  fetchSettlement(settlementId: string): Promise<SettlementOutcome>
}
