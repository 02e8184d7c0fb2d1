import type { MandateAuthType, MandateMethod } from '#domain/autopay.ts'
import type { Paise } from '#domain/money.ts'
import type { Absent, CapturedOrRefundedPayment, Refused, Unknown } from './payment-gateway.ts'

/** The account of an eMandate. It is passed on to the provider and never stored or logged. */
export type MandateAccount = { beneficiaryName: string; accountNumber: string; accountType: 'savings' | 'current'; ifsc: string }

/** The input for a registration: the provider's page on which the borrower approves a mandate. */
export type RegistrationRequest = {
  /** Unique for ever; finds the registration after an unknown outcome. */
  reference: string
  customer: DebitCustomer & { name: string }
  method: MandateMethod
  authType: MandateAuthType | null
  account: MandateAccount | null
  maximumPaise: Paise
  description: string
  /** The end of the page, and of the mandate itself. */
  expiresAt: Date
  endsAt: Date
}

/** How the provider reaches the customer. It demands both. */
type DebitCustomer = { email: string; phone: string }

/** The provider's view of a registration. */
export type RegistrationSnapshot = {
  invoiceId: string
  reference: string
  /** Null: an unknown status; it changes nothing. */
  status: 'issued' | 'paid' | 'expired' | 'cancelled' | null
  orderId: string
  customerId: string
  redirectUrl: string
  /** The payment that approved it; its token is the mandate. */
  paymentId: string | null
}

/** The provider's view of a mandate. */
export type TokenSnapshot = {
  tokenId: string
  customerId: string
  /** Null: an unknown status; it changes nothing. */
  status: 'initiated' | 'confirmed' | 'rejected' | 'paused' | 'cancelling' | 'cancelled' | null
  /** The UPI handle, such as `@okhdfc`; null for an eMandate. */
  upiHandle: string | null
  expiresAt: Date | null
}

/** The order of a debit. UPI debits are announced to the customer through it. */
export type DebitOrder = {
  orderId: string
  reference: string
  amountPaise: Paise
  /** Null for an order without a notification. */
  notification: { status: 'pending' | 'delivered' | 'failed' | null; deliveredAt: Date | null } | null
}

type DebitOrderRequest = {
  reference: string
  amountPaise: Paise
  /** UPI: the mandate, and the earliest instant of the debit. */
  notification: { tokenId: string; paymentAfter: Date } | null
  /** Names the mandate beside the notification too, which some accounts demand. */
  namesToken: boolean
}

type DebitRequest = {
  orderId: string
  tokenId: string
  customerId: string
  customer: DebitCustomer
  amountPaise: Paise
  reference: string
  description: string
}

/** The provider's view of one debit. */
export type Debit = {
  paymentId: string
  amountPaise: Paise
  /** `pending`: the bank has not answered. Null: an unknown status. */
  status: 'pending' | 'captured' | 'failed' | null
  /** The provider's `error_reason` of a failure. */
  reason: string | null
  tokenId: string | null
  customerId: string | null
  /** The money of a captured debit, and of one that the provider returned. */
  payment: CapturedOrRefundedPayment | null
}

/** A bank's demand to have a payment back. `lost`: the money is gone. */
export type Dispute = { disputeId: string; paymentId: string; amountPaise: Paise; isLost: boolean; reason: string }

/**
 * The provider's recurring payments. No method throws for errors of the provider or the network;
 * `unknown` may have had its effect.
 */
export type RecurringGateway = {
  createRegistration(request: RegistrationRequest): Promise<{ kind: 'created'; registration: RegistrationSnapshot } | Refused | Unknown>
  findRegistration(reference: string): Promise<{ kind: 'found'; registration: RegistrationSnapshot } | Absent | Unknown>
  fetchRegistration(invoiceId: string): Promise<{ kind: 'found'; registration: RegistrationSnapshot } | Absent | Unknown>
  /** `refused`: it is approved, expired or cancelled; fetch it to see which. */
  cancelRegistration(invoiceId: string): Promise<{ kind: 'cancelled'; registration: RegistrationSnapshot } | Refused | Unknown>
  fetchToken(customerId: string, tokenId: string): Promise<{ kind: 'found'; token: TokenSnapshot } | Absent | Unknown>
  /** Asks the provider to end a mandate. `refused`: it cannot be ended in its state. */
  endToken(method: MandateMethod, customerId: string, tokenId: string): Promise<{ kind: 'accepted' } | Absent | Refused | Unknown>
  createDebitOrder(request: DebitOrderRequest): Promise<{ kind: 'created'; order: DebitOrder } | Refused | Unknown>
  /** The newest order with a receipt. */
  findDebitOrder(reference: string): Promise<{ kind: 'found'; order: DebitOrder } | Absent | Unknown>
  fetchDebitOrder(orderId: string): Promise<{ kind: 'found'; order: DebitOrder } | Absent | Unknown>
  /** Asks for a debit. It must not be repeated after `unknown`: look at the order's debits. */
  requestDebit(request: DebitRequest): Promise<{ kind: 'requested'; paymentId: string } | Refused | Unknown>
  debitsOfOrder(orderId: string): Promise<{ kind: 'found'; debits: readonly Debit[] } | Absent | Unknown>
  fetchDebit(paymentId: string): Promise<{ kind: 'found'; debit: Debit } | Absent | Unknown>
  /** Lists all disputes of the account: one can be lost long after newer ones were raised. */
  listDisputes(): Promise<{ kind: 'found'; disputes: readonly Dispute[] } | Unknown>
}
