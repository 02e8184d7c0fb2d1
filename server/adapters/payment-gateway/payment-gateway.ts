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
  status: PaymentLinkStatus
  amountPaise: Paise
  redirectUrl: string
  /** The payments that were captured, oldest first. */
  payments: readonly CapturedPayment[]
}

export type CapturedPayment = {
  providerPaymentId: string
  amountPaise: Paise
  method: string | null
  /** Masked: the last four digits of a card, a UPI address, a bank's code. */
  instrument: string | null
  bankReference: string | null
  feePaise: Paise | null
  taxPaise: Paise | null
  paidAt: Date
}

/** `unknown`: the provider may or may not have done it. Ask by the reference; never blindly do it again. */
export type CreateOutcome =
  | { kind: 'created'; link: LinkSnapshot }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string }
export type FindOutcome = { kind: 'found'; link: LinkSnapshot } | { kind: 'absent' } | { kind: 'unknown'; reason: string }
/** `not_cancellable`: it is paid, partly paid, expired or cancelled already; fetch it to see which. */
export type CancelOutcome = { kind: 'cancelled'; link: LinkSnapshot } | { kind: 'not_cancellable' } | { kind: 'unknown'; reason: string }

/** The payment provider, as far as Kist needs one. No method throws for what the provider or the network does. */
export type PaymentGateway = {
  createLink(request: LinkRequest): Promise<CreateOutcome>
  findLinkByReference(reference: string): Promise<FindOutcome>
  fetchLink(paymentLinkId: string): Promise<FindOutcome>
  cancelLink(paymentLinkId: string): Promise<CancelOutcome>
}
