import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { WaitingResult } from './waiting-state.ts'

/** The sentences of the waiting page, word for word as spec §4 and decision 42 have them. */
export const waitingText: Record<'waiting' | 'syncing' | WaitingResult, MessageDescriptor> = {
  waiting: msg`We are waiting for your bank to confirm the payment.`,
  syncing: msg`Payment processed successfully! We are now syncing your loan balance.`,
  success: msg`Payment successful! Your loan balance has been updated.`,
  expired: msg`Payment link has expired. Please try again with a new payment link.`,
  cancelled: msg`Payment was cancelled. Please initiate a new payment.`,
  success_no_rps: msg`Payment received but we're facing delays updating your loan balance. It will reflect shortly.`,
  timeout: msg`We're experiencing issues syncing your payment. Please check your dashboard.`,
}

export const waitingTitle: Record<'waiting' | 'syncing' | WaitingResult, MessageDescriptor> = {
  waiting: msg`Confirming your payment`,
  syncing: msg`Confirming your payment`,
  success: msg`Payment complete`,
  expired: msg`This link has expired`,
  cancelled: msg`Payment cancelled`,
  success_no_rps: msg`We have your payment`,
  timeout: msg`This is taking longer than usual`,
}
