import type { cancelMandate as cancelCall, sendMandateCancelCode as codeCall } from '#contract/autopay.ts'
import { canAdvanceMandate } from '#domain/autopay.ts'
import { logAction } from '../access-log.ts'
import { sendOwnCode, spendOwnCode } from '../auth/own-code.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { UseCase } from '../http/route.ts'
import { providerUnavailable } from '../loan-changes/change-refusals.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { mandateOnWire } from './autopay-on-wire.ts'
import { mandateNotChangeable } from './autopay-refusals.ts'
import { withMandate } from './collection-transaction.ts'
import { endMandate, requestMandateEnd } from './end-mandate.ts'
import { mandateIsOver, type MandateRow } from './mandate-store.ts'
import { findOwnMandate } from './own-mandate.ts'
import { syncMandate } from './sync-mandate.ts'

/** Sends the code for cancelling a mandate. */
export const sendMandateCancelCode: UseCase<typeof codeCall> = async (context, caller, { params, origin }) => {
  const borrowerId = requireBorrower(caller)
  const mandate = await context.database.asBorrower(borrowerId, (sql) => findOwnMandate(sql, borrowerId, params.id))
  if (mandateIsOver(mandate)) throw mandateNotChangeable()
  const sent = await sendOwnCode(context, caller, origin)
  return { session_token: sent.sessionToken, resend_after_seconds: sent.resendAfterSeconds }
}

/**
 * Ends a mandate. From the commit on nothing is debited; the provider is asked after it, and by
 * the sweep if it does not answer now.
 */
export const cancelMandate: UseCase<typeof cancelCall> = async (context, caller, { params, body, origin }) => {
  const borrowerId = requireBorrower(caller)
  const known = await context.database.asBorrower(borrowerId, (sql) => findOwnMandate(sql, borrowerId, params.id))
  if (mandateIsOver(known)) throw mandateNotChangeable()
  await spendOwnCode(context, borrowerId, { sessionToken: body.session_token, code: body.otp, origin })
  const log = (sql: Sql, now: Date) =>
    logAction(sql, { borrowerId, actorId: caller.actorId, origin, now }, 'mandate_cancelled', { reference: known.reference })
  const requestEnd = () =>
    withMandate(context, known, async (step) => {
      const mandate = await requestMandateEnd(step, 'borrower')
      const isLogged = mandate.status !== step.mandate.status
      if (isLogged) await log(step.sql, step.now)
      return { mandate, lan: step.own.loan.lan, isLogged }
    })
  let request = await requestEnd()
  let mandate = await endAtProvider(context, request.mandate)
  // It was approved while its page was being cancelled.
  if (canAdvanceMandate(mandate.status, 'end_requested')) {
    request = await requestEnd()
    mandate = await endAtProvider(context, request.mandate)
  }
  if (!mandateIsOver(mandate)) throw providerUnavailable()
  // It was not approved yet: cancelling the page of its approval has ended it.
  if (!request.isLogged) await context.database.asBorrower(borrowerId, (sql) => log(sql, context.clock.now()))
  return { mandate: mandateOnWire(mandate, request.lan, context.config.autopay.rules) }
}

/** Whether the bank has ended a mandate, or its last day is over: the provider has none to end. */
async function isOverAtBank(
  { gateway, clock }: MoneyContext,
  { end_reason }: MandateRow,
  customerId: string,
  tokenId: string,
): Promise<boolean> {
  if (end_reason === 'bank' || end_reason === 'app' || end_reason === 'expired') return true
  const found = await gateway.fetchToken(customerId, tokenId)
  const expiresAt = found.kind === 'found' ? found.token.expiresAt : null
  return expiresAt !== null && expiresAt <= clock.now()
}

/**
 * Asks the provider to end a mandate, or to cancel the page on which it could be approved, and
 * stores the answer. Asking again has no further effect.
 */
export async function endAtProvider(context: MoneyContext, mandate: MandateRow): Promise<MandateRow> {
  const { gateway, log } = context
  const { token_id, customer_id, invoice_id, reference } = mandate
  if (mandate.status === 'ending' && token_id !== null && customer_id !== null) {
    const outcome = await gateway.endToken(mandate.method, customer_id, token_id)
    if (outcome.kind === 'refused' || outcome.kind === 'unknown')
      log.warn({ reference, reason: outcome.reason }, 'end of mandate not confirmed by provider')
    // The mandate is over although the provider has not confirmed it.
    if (outcome.kind === 'refused' && (await isOverAtBank(context, mandate, customer_id, token_id)))
      return withMandate(context, mandate, (transaction) => endMandate(transaction, 'bank'))
  } else if (invoice_id !== null && canAdvanceMandate(mandate.status, 'link_cancelled')) {
    const outcome = await gateway.cancelRegistration(invoice_id)
    if (outcome.kind !== 'cancelled') log.warn({ reference, reason: outcome.reason }, 'registration not cancelled by provider')
  }
  return (await syncMandate(context, mandate)).mandate
}
