import { commitChanges, type SandboxContext } from '../context.ts'
import { ownTexts, ProviderError } from '../errors.ts'
import type { RecurringEvent } from './events.ts'
import type { Registration, Token, TokenStatus } from './entities.ts'
import { reportAfterWorkingDays } from './working-days.ts'

/** NPCI ends a cancelled UPI mandate about a minute later. */
const cancelAfterMs = 60 * 1000

/** Thrown when the state of a mandate does not allow a change. */
export class NotChangeable extends Error {}

/** A token as the customer's approval creates it. */
export function newToken(context: SandboxContext, registration: Registration): Token {
  const now = context.clock.now()
  return {
    id: context.chance.id('token'),
    registration_id: registration.id,
    customer_id: registration.customer_id,
    token: context.chance.text(14),
    terms: registration.terms,
    status: 'initiated',
    failure_reason: null,
    is_deleted: false,
    used_at: now,
    created_at: now,
    planned: null,
  }
}

export const mandateActions = ['confirm', 'reject', 'pause', 'resume', 'cancel'] as const
type MandateAction = (typeof mandateActions)[number]

type Step = {
  readonly from: readonly TokenStatus[]
  readonly to: TokenStatus
  readonly event: Extract<RecurringEvent, { token: Token }>['event']
}

/** What the bank and the customer's app do to a mandate. */
const steps: Readonly<Record<MandateAction, Step>> = {
  confirm: { from: ['initiated'], to: 'confirmed', event: 'token.confirmed' },
  reject: { from: ['initiated'], to: 'rejected', event: 'token.rejected' },
  pause: { from: ['confirmed'], to: 'paused', event: 'token.paused' },
  resume: { from: ['paused'], to: 'confirmed', event: 'token.resumed' },
  cancel: { from: ['initiated', 'confirmed', 'paused', 'cancellation_initiated'], to: 'cancelled', event: 'token.cancelled' },
}

/** Changes a mandate as its bank or the customer's app does, with its event. */
export function changeMandate(context: SandboxContext, token: Token, action: MandateAction, reason: string | null = null): Token {
  const { from, to, event } = steps[action]
  const isAppOnly = action === 'pause' || action === 'resume'
  if (!from.includes(token.status)) throw new NotChangeable(`the mandate is ${token.status}`)
  if (isAppOnly && token.terms.method !== 'upi') throw new NotChangeable('only a UPI mandate can be paused')
  const failure_reason = action === 'reject' ? (reason ?? token.failure_reason ?? 'Rejected by bank') : null
  const changed: Token = { ...token, status: to, failure_reason, planned: null }
  commitChanges(context, [['token', changed]], [{ event, token: changed }])
  return changed
}

/** Applies the planned change of a token. */
export function applyTokenChange(context: SandboxContext, token: Token): void {
  const actions: Readonly<Record<string, MandateAction>> = { confirmed: 'confirm', rejected: 'reject', cancelled: 'cancel' }
  const action = actions[token.planned?.to ?? '']
  if (action) changeMandate(context, token, action)
}

/** The merchant asks NPCI to cancel a UPI mandate. */
export function cancelToken(context: SandboxContext, token: Token): Token {
  if (token.terms.method !== 'upi') throw new ProviderError(ownTexts.tokenCancelMethod)
  if (!['initiated', 'confirmed', 'paused'].includes(token.status)) throw new ProviderError(ownTexts.tokenCancel)
  const at_ms = context.clock.nowMs() + cancelAfterMs
  const cancelling: Token = { ...token, status: 'cancellation_initiated', planned: { at_ms, to: 'cancelled' } }
  commitChanges(context, [['token', cancelling]], [])
  return cancelling
}

/**
 * The merchant deletes a token. The bank cancels an eMandate on the next working day; a UPI mandate
 * is only forgotten and stays active in the customer's app.
 */
export function deleteToken(context: SandboxContext, token: Token): void {
  const at_ms = reportAfterWorkingDays(context.holidays, context.clock.nowMs(), 1)
  const isCancelled = token.terms.method === 'emandate' && steps.cancel.from.includes(token.status)
  const planned = isCancelled ? ({ at_ms, to: 'cancelled' } as const) : token.planned
  commitChanges(context, [['token', { ...token, is_deleted: true, planned }]], [])
}

/** Why a debit of this mandate fails now; null when the mandate is active. */
export function reasonAgainstDebit(token: Token, nowSeconds: number): string | null {
  const reasons: Readonly<Partial<Record<TokenStatus, string>>> = {
    initiated: 'mandate_not_active',
    rejected: 'invalid_token',
    paused: 'mandate_paused',
    cancellation_initiated: 'mandate_cancelled',
    cancelled: 'mandate_cancelled',
  }
  return reasons[token.status] ?? (token.terms.expire_at <= nowSeconds ? 'mandate_expired' : null)
}
