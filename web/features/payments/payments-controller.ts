import type { ResponseOf } from '#contract/endpoint.ts'
import type { AllowedPayments } from '#contract/loans.ts'
import type { createPaymentLink, PaymentLink } from '#contract/payments.ts'
import type { Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { isPaidWithNextEmi } from './pay/payment-options.ts'

/** The status of the payments tab (spec §4). */
export type PaymentsStatus =
  | 'IDLE'
  | 'PENDING_PAYMENT_UNKNOWN'
  | 'PENDING_PAYMENT_PRESENT'
  | 'NO_PENDING_PAYMENT'
  | 'PAYMENT_REDIRECT_COUNTDOWN'

/** The borrower's choice. */
export type Payment = { purpose: PaymentPurpose; amount: Paise }
/** What the countdown needs of a new or an open link. */
export type PayableLink = Pick<ResponseOf<typeof createPaymentLink>, 'payment_link_id' | 'quote' | 'expires_at'>
/** The choice with its payment link. */
type LinkedPayment = Payment & { link: PayableLink }

/** The countdown before the redirect to the provider's page. */
export type Countdown =
  | { phase: 'off' }
  | { phase: 'counting' | 'redirecting'; secondsLeft: number; redirectUrl: string; isNew: boolean; payment: LinkedPayment }

type CountdownEvent =
  | { type: 'linkCreated' | 'resumed'; redirectUrl: string; payment: LinkedPayment; seconds: number }
  | { type: 'secondPassed' }
  | { type: 'redirectNow' }
  /** Closed by the borrower, or restored by the Back button from the provider's page. */
  | { type: 'cancelled' }

export const countdownOff: Countdown = { phase: 'off' }

export function countdownReducer(state: Countdown, event: CountdownEvent): Countdown {
  switch (event.type) {
    case 'linkCreated':
    case 'resumed': {
      // A second press must not restart a running countdown or replace its link.
      if (state.phase !== 'off') return state
      const { redirectUrl, payment, seconds } = event
      return { phase: 'counting', secondsLeft: seconds, redirectUrl, payment, isNew: event.type === 'linkCreated' }
    }
    case 'secondPassed':
      if (state.phase !== 'counting') return state
      return state.secondsLeft <= 1 ? startRedirect(state) : { ...state, secondsLeft: state.secondsLeft - 1 }
    case 'redirectNow':
      return state.phase === 'counting' ? startRedirect(state) : state
    case 'cancelled':
      return countdownOff
  }
}

function startRedirect(state: Exclude<Countdown, { phase: 'off' }>): Countdown {
  return { ...state, phase: 'redirecting', secondsLeft: 0 }
}

/**
 * Cancelling the countdown of a new payment leaves an open link: all data of the page is outdated.
 */
export function mustRefreshAfterCancel(state: Countdown): boolean {
  return state.phase !== 'off' && state.isNew
}

/**
 * The last data stays when a refresh fails: a link keeps blocking, and without one the page and its
 * dialogs stay.
 */
export function getPaymentsStatus(
  { data: link, isError }: { data: PaymentLink | null | undefined; isError: boolean },
  running: Countdown,
): PaymentsStatus {
  if (running.phase !== 'off') return 'PAYMENT_REDIRECT_COUNTDOWN'
  if (link === undefined) return isError ? 'PENDING_PAYMENT_UNKNOWN' : 'IDLE'
  return link === null ? 'NO_PENDING_PAYMENT' : 'PENDING_PAYMENT_PRESENT'
}

/** Only if no link is open and the schedule, which has the payment options, is loaded (spec §4). */
export function canCreatePayment(status: PaymentsStatus, isScheduleLoaded: boolean): boolean {
  return status === 'NO_PENDING_PAYMENT' && isScheduleLoaded
}

/**
 * Received by the provider but not posted yet: it can be neither paid again nor cancelled (decision
 * 37).
 */
export function isBeingApplied(link: PaymentLink): boolean {
  return link.status === 'paid' && !link.rps_updated
}

export type PaymentOptionKind = 'overdue' | 'next_emi' | 'part_payment' | 'foreclosure'

/** The option selected before the borrower chooses (spec §4). */
export function selectDefaultOption(allowed: AllowedPayments): PaymentOptionKind | null {
  if (isPaidWithNextEmi(allowed)) return 'next_emi'
  if (allowed.overdue_payment.amount > 0n || allowed.overdue_payment.dpd > 0) return 'overdue'
  if (allowed.next_emi_payment !== undefined) return 'next_emi'
  if (allowed.foreclosure_payment !== undefined) return 'foreclosure'
  const { min_allowed_amount, max_allowed_amount } = allowed.part_payment
  return min_allowed_amount > 0n || max_allowed_amount > 0n ? 'part_payment' : null
}

/** The provider responded without an allowed redirect URL. */
export class NoRedirectUrlError extends Error {
  override readonly name = 'NoRedirectUrlError'
}
