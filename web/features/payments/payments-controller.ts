import type { AllowedPayments } from '#contract/loans.ts'
import type { PaymentLink, Quote } from '#contract/payments.ts'
import type { Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'

/** How the payments tab as a whole stands (spec §4). */
export type PaymentsStatus =
  | 'IDLE'
  | 'PENDING_PAYMENT_UNKNOWN'
  | 'PENDING_PAYMENT_PRESENT'
  | 'NO_PENDING_PAYMENT'
  | 'PAYMENT_REDIRECT_COUNTDOWN'

/** What is known of the link that may stand in the way. */
export type OngoingLoad = { state: 'loading' } | { state: 'failed' } | { state: 'loaded'; link: PaymentLink | null }

/** What the borrower has decided to pay. */
export type Payment = { purpose: PaymentPurpose; amount: Paise }
/** The link it is paid by. */
export type LinkedPayment = Payment & { paymentLinkId: string | null; quote: Quote | null }

/** The seconds before the browser leaves for the provider's page. */
export type Countdown =
  | { phase: 'off' }
  | { phase: 'counting' | 'redirecting'; secondsLeft: number; redirectUrl: string; isNew: boolean; payment: LinkedPayment }

export type CountdownEvent =
  | { type: 'linkCreated' | 'resumed'; redirectUrl: string; payment: LinkedPayment; seconds: number }
  | { type: 'secondPassed' }
  | { type: 'redirectNow' }
  /** Closed by the borrower, or the borrower came back from the provider's page with the Back button. */
  | { type: 'cancelled' }

export const countdownOff: Countdown = { phase: 'off' }

export function countdown(state: Countdown, event: CountdownEvent): Countdown {
  switch (event.type) {
    case 'linkCreated':
    case 'resumed': {
      // A second press while one countdown runs must not start it over or swap its link.
      if (state.phase !== 'off') return state
      const { redirectUrl, payment, seconds } = event
      return { phase: 'counting', secondsLeft: seconds, redirectUrl, payment, isNew: event.type === 'linkCreated' }
    }
    case 'secondPassed':
      if (state.phase !== 'counting') return state
      return state.secondsLeft <= 1 ? redirecting(state) : { ...state, secondsLeft: state.secondsLeft - 1 }
    case 'redirectNow':
      return state.phase === 'counting' ? redirecting(state) : state
    case 'cancelled':
      return countdownOff
  }
}

function redirecting(state: Exclude<Countdown, { phase: 'off' }>): Countdown {
  return { ...state, phase: 'redirecting', secondsLeft: 0 }
}

/** Leaving the countdown of a new payment leaves a link behind: everything on the page is out of date. */
export function mustRefreshAfterCancel(state: Countdown): boolean {
  return state.phase !== 'off' && state.isNew
}

export function paymentsStatus(ongoing: OngoingLoad, running: Countdown): PaymentsStatus {
  if (running.phase !== 'off') return 'PAYMENT_REDIRECT_COUNTDOWN'
  if (ongoing.state === 'loading') return 'IDLE'
  if (ongoing.state === 'failed') return 'PENDING_PAYMENT_UNKNOWN'
  return ongoing.link === null ? 'NO_PENDING_PAYMENT' : 'PENDING_PAYMENT_PRESENT'
}

/** Only when nothing is pending and the schedule, which says what may be paid, has loaded (spec §4). */
export function canCreatePayment(status: PaymentsStatus, isScheduleLoaded: boolean): boolean {
  return status === 'NO_PENDING_PAYMENT' && isScheduleLoaded
}

/** Received by the provider and not yet in the ledger: it can be neither paid again nor cancelled (decision 37). */
export function isBeingApplied(link: PaymentLink): boolean {
  return link.status === 'paid' && !link.rps_updated
}

export const paymentOptionKinds = ['overdue', 'next_emi', 'part_payment', 'foreclosure'] as const
export type PaymentOptionKind = (typeof paymentOptionKinds)[number]

/** The option selected before the borrower chooses (spec §4). */
export function preselectedOption(allowed: AllowedPayments): PaymentOptionKind | null {
  if (allowed.overdue_payment.amount > 0n || allowed.overdue_payment.dpd > 0) return 'overdue'
  if (allowed.next_emi_payment !== undefined) return 'next_emi'
  if (allowed.foreclosure_payment !== undefined) return 'foreclosure'
  const { min_allowed_amount, max_allowed_amount } = allowed.part_payment
  return min_allowed_amount > 0n || max_allowed_amount > 0n ? 'part_payment' : null
}

/**
 * The address of the provider's page if it is on one of the provider's origins, else null.
 * Anything else in a reply (`javascript:` above all) is treated as no address at all.
 */
export function safeRedirectUrl(text: string | undefined, origins: readonly string[]): string | null {
  if (text === undefined) return null
  try {
    const { origin, href, username, password } = new URL(text)
    return origins.includes(origin) && username === '' && password === '' ? href : null
  } catch {
    return null
  }
}

/** A press of 'Make payment', by the key under which the server knows it (decision 52). */
export type Press = { key: string; order: string }

/** Pressed again for the same order while nobody knows what became of the first press, it is still that press. */
export function pressFor(payment: Payment, unheard: Press | null, newKey: () => string): Press {
  const order = `${payment.purpose} ${payment.amount}`
  return unheard?.order === order ? unheard : { key: newKey(), order }
}
