import type { Day } from '#domain/calendar.ts'
import type { DocumentLanguage } from '#domain/documents.ts'
import type { Paise } from '#domain/money.ts'
import type { PaymentLinkStatus } from '#domain/payments.ts'
import type { RecurringGateway } from './recurring-gateway.ts'

/** The input for a new payment link. */
export type LinkRequest = {
  /** Unique for ever; finds a link after an unknown outcome. At most 40 characters. */
  reference: string
  amountPaise: Paise
  description: string
  callbackUrl: string
  expiresAt: Date
  /** The language in which the borrower pays; the sandbox shows its page in it. */
  language?: DocumentLanguage | undefined
}

/** The provider's view of a link. */
export type LinkSnapshot = {
  paymentLinkId: string
  reference: string
  /** Null: an unknown status; it changes nothing. */
  status: PaymentLinkStatus | null
  amountPaise: Paise
  redirectUrl: string
  /** The payments of the link, oldest first. */
  payments: readonly CapturedOrRefundedPayment[]
  /** Payments that could not be fetched or read now, with the reason. */
  unread?: readonly UnreadPayment[]
}

export type UnreadPayment = { providerPaymentId: string; reason: string }

/** A payment that was captured, or that the provider returned without capturing it. */
export type CapturedOrRefundedPayment = {
  providerPaymentId: string
  amountPaise: Paise
  /** ISO 4217. Links are in INR; other currencies need a review. */
  currency: string
  /** False: returned without ever being captured. */
  captured: boolean
  /** The total of all refunds of the payment, whoever made them. */
  refundedPaise: Paise
  method: string | null
  /** Masked: the last four digits of a card, a UPI address, a bank code. */
  instrument: string | null
  bankReference: string | null
  feePaise: Paise | null
  taxPaise: Paise | null
  paidAt: Date
}

/** A payment of the provider's list, with the fields that identify its link. */
export type ListedPayment = CapturedOrRefundedPayment & {
  /** Our reference, if the payment has it. */
  reference: string | null
  paymentLinkId: string | null
}

/** The input for a refund. */
type RefundRequest = {
  providerPaymentId: string
  amountPaise: Paise
  /** Our id and the number of this attempt; the provider stores both with the refund. */
  refundId: string
  tryNumber: number
  /**
   * The idempotency key: requests with the same key and content make one refund. 10 characters or
   * more of A–Z a–z 0–9 _ -.
   */
  key: string
}

/** The provider's view of a refund. */
export type ProviderRefund = {
  providerRefundId: string
  providerPaymentId: string
  amountPaise: Paise
  /** Null: an unknown status. */
  status: 'pending' | 'processed' | 'failed' | null
  /** Our id; null for a refund that Kist did not request. */
  refundId: string | null
  tryNumber: number | null
  bankReference: string | null
  createdAt: Date
}

/**
 * One line of a settlement. Amounts are as the provider reports them; `credit` is net of the fee.
 */
export type SettlementLine = {
  settlementId: string
  utr: string | null
  settledAt: Date
  entityId: string
  /** For a refund: its payment. */
  paymentId: string | null
  /** `payment`, `refund`, `adjustment` and others. */
  type: string
  debitPaise: Paise
  creditPaise: Paise
  amountPaise: Paise
  /** Including tax. */
  feePaise: Paise
  taxPaise: Paise
}

/** One payout of the provider. */
export type Settlement = {
  settlementId: string
  amountPaise: Paise
  feesPaise: Paise
  taxPaise: Paise
  utr: string | null
  createdAt: Date
}

export type Unknown = { kind: 'unknown'; reason: string }
export type Refused = { kind: 'refused'; reason: string }
export type Absent = { kind: 'absent' }

/**
 * `unknown`: the provider may or may not have created the link. Find it by its reference; do not
 * create it again.
 */
export type CreateOutcome = { kind: 'created'; link: LinkSnapshot } | Refused | Unknown
export type FindOutcome = { kind: 'found'; link: LinkSnapshot } | Absent | Unknown
/**
 * `not_cancellable`: the link is paid, partly paid, expired or cancelled; fetch it to see which.
 */
export type CancelOutcome = { kind: 'cancelled'; link: LinkSnapshot } | { kind: 'not_cancellable' } | Unknown

/**
 * `refused`: final for this key. `unknown`: the refund may exist or be made later; retry with the
 * same key.
 */
export type RefundOutcome = { kind: 'accepted'; refund: ProviderRefund } | Refused | Unknown
type RefundsOutcome = { kind: 'found'; refunds: readonly ProviderRefund[] } | Unknown
type PaymentOutcome = { kind: 'found'; payment: ListedPayment } | Absent | Unknown
type PaymentsOutcome = { kind: 'found'; payments: readonly ListedPayment[] } | Unknown
type SettlementLinesOutcome = { kind: 'found'; lines: readonly SettlementLine[] } | Unknown
type SettlementOutcome = { kind: 'found'; settlement: Settlement } | Unknown

/** The payment provider. No method throws for errors of the provider or the network. */
export type PaymentGateway = RecurringGateway & LinkGateway

/** Payment links, payments, refunds and settlements. */
type LinkGateway = {
  createLink(request: LinkRequest): Promise<CreateOutcome>
  findLinkByReference(reference: string): Promise<FindOutcome>
  fetchLink(paymentLinkId: string): Promise<FindOutcome>
  cancelLink(paymentLinkId: string): Promise<CancelOutcome>
  /** Fetches a payment that was captured or returned; `absent` while it is neither. */
  fetchPayment(providerPaymentId: string): Promise<PaymentOutcome>
  /** Lists the captured and returned payments created from a time on and before another. */
  paymentsBetween(from: Date, before: Date): Promise<PaymentsOutcome>
  refundPayment(request: RefundRequest): Promise<RefundOutcome>
  refundsOf(providerPaymentId: string): Promise<RefundsOutcome>
  /** Lists the lines of the settlements of an India day. */
  settlementLinesOf(day: Day): Promise<SettlementLinesOutcome>
  fetchSettlement(settlementId: string): Promise<SettlementOutcome>
}
