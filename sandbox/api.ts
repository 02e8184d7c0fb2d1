import { timingSafeEqual } from 'node:crypto'
import { linkRoutes } from './api-links.ts'
import { moneyRoutes } from './api-money.ts'
import type { Route } from './api-request.ts'
import { parseBody } from './body.ts'
import { errorAnswer, ownTexts, ProviderError, providerTexts } from './errors.ts'
import type { Subject } from './faults.ts'
import type { Answer, HttpRequest, Reply } from './http.ts'
import type { Body } from './link-input.ts'
import { applyFault } from './apply-fault.ts'
import { recurringRoutes } from './recurring/api.ts'
import type { SandboxContext } from './context.ts'

/**
 * An amount ending in 313.13 rupees breaks the connection at create; a person can type it as a part
 * payment.
 */
const isUnreachable = (amountPaise: unknown): boolean => typeof amountPaise === 'number' && amountPaise % 100_000 === 31_313

const allRoutes: readonly Route[] = [...linkRoutes, ...recurringRoutes, ...moneyRoutes]

/** Answers `/v1/*`: key, route, body, fault, handler, in this order. */
export async function answerApi(context: SandboxContext, request: HttpRequest): Promise<Reply> {
  try {
    checkKey(context, request.headers.authorization)
    const route = allRoutes.find(({ method, path }) => method === request.method && path.test(request.path))
    if (!route) return errorAnswer(404, 'BAD_REQUEST_ERROR', ownTexts.notFoundUrl)
    const body = parseBody(request)
    if (route.call === 'create' && isUnreachable(body['amount'])) return { kind: 'reset' }
    return route.call === 'refund'
      ? await oneRefundPerKey(context, request, () => answer(context, request, route, body))
      : await answer(context, request, route, body)
  } catch (error) {
    return refusal(error)
  }
}

async function answer(context: SandboxContext, request: HttpRequest, route: Route, body: Body): Promise<Reply> {
  const [, id = '', last = ''] = route.path.exec(request.path) ?? []
  const fault = context.faults.take(route.call, subjectOf(context, request, body, id))
  return await applyFault(fault, () => {
    try {
      return route.handle({ context, request, body, id, last, fault })
    } catch (error) {
      return refusal(error)
    }
  })
}

/** Answers 409 to a second refund request with a key that is in progress. */
async function oneRefundPerKey(context: SandboxContext, request: HttpRequest, work: () => Promise<Reply>): Promise<Reply> {
  const key = request.headers['x-refund-idempotency']
  if (typeof key !== 'string') return await work()
  if (context.refundKeysUnderWay.has(key)) throw new ProviderError(ownTexts.refundUnderWay, null, 409)
  context.refundKeysUnderWay.add(key)
  try {
    return await work()
  } finally {
    context.refundKeysUnderWay.delete(key)
  }
}

function refusal(error: unknown): Answer {
  if (!(error instanceof ProviderError)) throw error
  return errorAnswer(error.status, 'BAD_REQUEST_ERROR', error.message, error.field)
}

/** The header must read `Basic …` to the letter, as at the provider. */
function checkKey(context: SandboxContext, header: string | undefined): void {
  if (header === undefined) throw new ProviderError(ownTexts.noKey, null, 401)
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(header)?.[1] ?? ''
  const [keyId = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  if (keyId !== context.config.keyId) throw new ProviderError(providerTexts.invalidKey, null, 401)
  const given = Buffer.from(rest.join(':'))
  const secret = Buffer.from(context.config.keySecret)
  if (given.length !== secret.length || !timingSafeEqual(given, secret)) {
    throw new ProviderError(providerTexts.invalidSecret, null, 401)
  }
}

/** What a fault rule can match this call by; a receipt counts as a reference id. */
function subjectOf(context: SandboxContext, request: HttpRequest, body: Body, id: string): Subject {
  const { store } = context
  const about = store.get('payment', id) ?? store.get('order', id) ?? store.get('refund', id)
  const linkId = about?.link_id ?? (id || undefined)
  const reference = body['reference_id'] ?? request.query.get('reference_id') ?? ''
  const link = linkId ? store.get('link', linkId) : store.linkByReference(String(reference))
  const debit = link ? undefined : debitOf(context, body, id)
  return {
    payment_link_id: linkId ?? link?.id,
    reference_id:
      link?.reference_id ?? (String(reference) || (debit?.receipt ?? String(body['receipt'] ?? request.query.get('receipt') ?? ''))),
    amount: typeof body['amount'] === 'number' ? body['amount'] : (link?.amount ?? debit?.amount),
  }
}

/** The order or registration link that a call of recurring payments is about. */
function debitOf({ store }: SandboxContext, body: Body, id: string): { readonly receipt: string; readonly amount: number } | undefined {
  const payment = store.get('payment', id) ?? store.get('payment', store.get('refund', id)?.payment_id ?? '')
  return store.get('registration', id) ?? store.get('order', payment?.order_id ?? (id || String(body['order_id'] ?? '')))
}
