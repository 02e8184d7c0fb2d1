import { ControlError, inputOf, oneOf, secondsOf, textOf, wholeOf, type Input } from '../control-input.ts'
import { json, type Answer, type HttpRequest } from '../http.ts'
import type { SandboxContext } from '../context.ts'
import { debitOutcomes } from './entities.ts'
import { approveRegistration, declineRegistration } from './registrations.ts'
import { changeMandate, mandateActions } from './tokens.ts'
import { customerView, registrationView, tokenView } from './views.ts'

const notificationOutcomes = ['delivered', 'failed', 'late'] as const

/** The control calls of recurring payments; undefined when there is no such call. */
export function answerRecurringControl(context: SandboxContext, request: HttpRequest, path: readonly string[]): Answer | undefined {
  if (request.method !== 'POST') return undefined
  const [resource = '', id = '', action = ''] = path
  if (resource === 'registrations') return answerRegistration(context, id, action, inputOf(request))
  if (resource === 'mandates') return changeMandateByHand(context, id, action, inputOf(request))
  if (resource === 'debits' && id === 'next') return orderDebit(context, withoutNulls(inputOf(request)))
  if (resource === 'notifications' && id === 'next') return orderNotification(context, withoutNulls(inputOf(request)))
  return undefined
}

/** What `GET /__sandbox/state` lists of recurring payments besides their orders and payments. */
export function recurringState({ store, publicUrl, nextOutcomes }: SandboxContext): Record<string, unknown> {
  return {
    customers: store.all('customer').map(customerView),
    registrations: store.all('registration').map((registration) => registrationView(registration, publicUrl)),
    tokens: store.all('token').map((token) => ({
      ...tokenView(token),
      customer_id: token.customer_id,
      registration_id: token.registration_id,
      status: token.status,
      is_deleted: token.is_deleted,
    })),
    next: nextOutcomes.list(),
  }
}

function answerRegistration(context: SandboxContext, id: string, action: string, input: Input): Answer | undefined {
  if (action !== 'approve' && action !== 'decline') return undefined
  const registration = context.store.get('registration', id)
  if (!registration) throw new ControlError(404, `there is no registration link ${id}`)
  const reason = reasonOf(input)
  const token =
    action === 'approve' ? approveRegistration(context, registration) : declineRegistration(context, registration, reason ?? undefined)
  const after = context.store.get('registration', id) ?? registration
  return json(200, { registration: registrationView(after, context.publicUrl), token: tokenView(token) })
}

function changeMandateByHand(context: SandboxContext, id: string, action: string, input: Input): Answer | undefined {
  const known = mandateActions.find((one) => one === action)
  if (known === undefined) return undefined
  const token = context.store.get('token', id)
  if (!token) throw new ControlError(404, `there is no mandate ${id}`)
  return json(200, tokenView(changeMandate(context, token, known, textOf(input, 'reason') ?? null)))
}

function orderDebit(context: SandboxContext, input: Input): Answer {
  const outcome = oneOf(input, 'outcome', debitOutcomes) ?? 'success'
  const afterSeconds = notNegative(input, 'after_seconds')
  const isTwoStep = outcome === 'late_success' || outcome === 'success_then_return'
  context.nextOutcomes.addDebit({
    outcome,
    reason: reasonOf(input),
    receipt: textOf(input, 'receipt') ?? null,
    delaySeconds: isTwoStep ? 0 : (afterSeconds ?? 0),
    afterwardsSeconds: isTwoStep ? (afterSeconds ?? null) : null,
    amount: wholeOf(input, 'amount', 100, 1e12) ?? null,
  })
  return json(200, { next: context.nextOutcomes.list() })
}

function orderNotification(context: SandboxContext, input: Input): Answer {
  const outcome = oneOf(input, 'outcome', notificationOutcomes) ?? 'delivered'
  const receipt = textOf(input, 'receipt') ?? null
  context.nextOutcomes.addNotification({ outcome, receipt, afterSeconds: notNegative(input, 'after_seconds') ?? null })
  return json(200, { next: context.nextOutcomes.list() })
}

/** Any reason: the merchant must cope with one that it does not know. */
function reasonOf(input: Input): string | null {
  const reason = textOf(input, 'reason') ?? null
  if (reason !== null && !/^[a-z_]{1,60}$/.test(reason)) throw new ControlError(400, 'reason must be a name such as insufficient_funds')
  return reason
}

function withoutNulls(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

function notNegative(input: Input, field: string): number | undefined {
  const seconds = secondsOf(input, field)
  if (seconds !== undefined && seconds < 0) throw new ControlError(400, `${field} must not be negative`)
  return seconds
}
