import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Collection, Mandate } from '#contract/autopay.ts'
import type { MandateAuthType, MandateMethod, SkipReason } from '#domain/autopay.ts'
import { ApiError } from '#web/api/api-error.ts'
import { getFailureText } from '#web/app/loading/failure-text.ts'
import { getEndCause, getFailureCause, type EndCause, type FailureCause } from './autopay-state.ts'

export const methodText: Record<MandateMethod, MessageDescriptor> = {
  upi: msg`UPI Autopay`,
  emandate: msg`Bank mandate (eNACH)`,
}

export const approvalText: Record<MandateAuthType, MessageDescriptor> = {
  netbanking: msg`Netbanking`,
  debitcard: msg`Debit card`,
  aadhaar: msg`Aadhaar`,
}

/** Why a debit failed. Who ended its mandate is told where the mandate is shown. */
export const failureText: Record<FailureCause, MessageDescriptor> = {
  funds: msg`There was too little money in the account.`,
  technical: msg`The bank had a technical problem. It is not your fault.`,
  ask_borrower: msg`Your bank or UPI app refused it. Check the limit and the status of autopay there.`,
  not_presented: msg`The request did not reach your bank.`,
  not_captured: msg`Your bank approved it too late. The amount goes back to your account.`,
  mandate_ended: msg`Autopay had ended.`,
  review: msg`The bank gave a reason that we are looking into.`,
}

const skipText: Record<SkipReason, MessageDescriptor> = {
  paid: msg`You had paid already.`,
  borrower: msg`You skipped it.`,
  amount_changed: msg`What was due had changed, so another debit took its place.`,
  superseded: msg`It became part of the next debit.`,
  closed: msg`The loan is closed.`,
  mandate: msg`Autopay was paused or had ended, or the debit could not be carried out.`,
  cap: msg`The instalment was above your limit.`,
  link_open: msg`You were paying it yourself at that time.`,
}

/** Why a debit was skipped or failed; null for any other. */
export function getOutcomeText(debit: Collection): MessageDescriptor | null {
  const { status, reason } = debit
  if (status === 'failed') return failureText[getFailureCause(debit)]
  return status === 'skipped' ? (skipText[reason as SkipReason] ?? null) : null
}

const endText: Record<EndCause, MessageDescriptor> = {
  not_approved: msg`The request was not approved in time. Nothing will be debited.`,
  rejected: msg`Your bank did not accept the request. Nothing will be debited.`,
  withdrawn: msg`The request was cancelled. Nothing will be debited.`,
  borrower: msg`You ended autopay.`,
  app: msg`Autopay was ended in the UPI app or at the bank.`,
  refused: msg`The payment provider could not set it up. Check the account, or choose another way.`,
  bank: msg`Your bank has ended autopay.`,
  expired: msg`Your permission for autopay ends before the next debit.`,
  loan_closed: msg`Autopay ended with the loan.`,
}

/** How the last mandate ended. */
export function getEndText(mandate: Mandate): MessageDescriptor {
  const cause = getEndCause(mandate)
  return cause === null ? msg`Autopay has ended.` : endText[cause]
}

/** Why a change of autopay was refused. */
export function getRefusalText(error: unknown): MessageDescriptor {
  switch (error instanceof ApiError ? error.code : null) {
    case 'MandateNotChangeable':
      return msg`This is no longer possible: a debit begins within the hour, or the status has changed. This page shows the present status.`
    case 'CollectionNotChangeable':
      return msg`This debit can no longer be changed.`
    case 'AutopayInProgress':
      return msg`A debit is in progress. You can change this when it is over.`
    case 'MandateExists':
      return msg`Autopay is set up for this loan already.`
    case 'AutopayNotOffered':
      return msg`This way of paying is no longer offered for your loan. Choose another one.`
    case 'PaymentGatewayRefused':
      return msg`The payment provider could not set it up. Check the account, or choose another way.`
    case 'PaymentGatewayUnavailable':
      return msg`The payment provider does not answer. Please try again in a few minutes.`
    default:
      return getFailureText(error)
  }
}
