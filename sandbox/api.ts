import { timingSafeEqual } from 'node:crypto'
import { parseBody } from './body.ts'
import type { Link, Order, Payment } from './entities.ts'
import { errorAnswer, OWN_TEXT, ProviderError, TEXT } from './errors.ts'
import type { Call, Subject } from './faults.ts'
import { SLOW_DETAILS_SECONDS, VPA_SLOW } from './instruments.ts'
import { json, type Answer, type HttpRequest, type Reply } from './http.ts'
import { createInput, editInput, type Body } from './link-input.ts'
import { cancelLink, createLink, editLink } from './links.ts'
import { refundPayment } from './refunds.ts'
import { strike } from './strike.ts'
import { collection, linkView, orderView, paymentView, refundView, staleLink } from './views.ts'
import type { World } from './world.ts'

/** Any amount that ends like ₹…,313.13 breaks the connection at create: a part payment a person can type. */
const isUnreachable = (amountPaise: unknown): boolean => typeof amountPaise === 'number' && amountPaise % 100_000 === 31_313

type Asked = {
  readonly world: World
  readonly request: HttpRequest
  readonly body: Body
  /** The id in the path, '' where there is none. */
  readonly id: string
  /** Last part of the path where a route has one (the medium of notify_by). */
  readonly last: string
  /** A fault asks for the state before the last changes. */
  readonly stale: boolean
}

type Route = {
  readonly method: string
  readonly path: RegExp
  readonly call: Exclude<Call, '*'>
  readonly handle: (asked: Asked) => Answer
}

const ROUTES: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/payment_links$/, call: 'create', handle: create },
  { method: 'GET', path: /^\/v1\/payment_links$/, call: 'list', handle: list },
  { method: 'GET', path: /^\/v1\/payment_links\/([^/]+)$/, call: 'fetch', handle: fetchLink },
  { method: 'PATCH', path: /^\/v1\/payment_links\/([^/]+)$/, call: 'edit', handle: edit },
  { method: 'POST', path: /^\/v1\/payment_links\/([^/]+)\/cancel$/, call: 'cancel', handle: cancel },
  { method: 'POST', path: /^\/v1\/payment_links\/([^/]+)\/notify_by\/([^/]+)$/, call: 'notify', handle: notify },
  { method: 'GET', path: /^\/v1\/payments$/, call: 'payments', handle: listPayments },
  { method: 'GET', path: /^\/v1\/payments\/([^/]+)$/, call: 'payment', handle: fetchPayment },
  { method: 'POST', path: /^\/v1\/payments\/([^/]+)\/capture$/, call: 'capture', handle: capture },
  { method: 'POST', path: /^\/v1\/payments\/([^/]+)\/refund$/, call: 'refund', handle: refund },
  { method: 'GET', path: /^\/v1\/payments\/([^/]+)\/refunds$/, call: 'refunds', handle: listRefunds },
  { method: 'GET', path: /^\/v1\/orders\/([^/]+)$/, call: 'order', handle: fetchOrder },
  { method: 'GET', path: /^\/v1\/orders\/([^/]+)\/payments$/, call: 'order_payments', handle: listOrderPayments },
]

/** Answers `/v1/*`: key, route, body, fault, handler, in this order. */
export async function answerApi(world: World, request: HttpRequest): Promise<Reply> {
  try {
    checkKey(world, request.headers.authorization)
    const route = ROUTES.find(({ method, path }) => method === request.method && path.test(request.path))
    if (!route) return errorAnswer(404, 'BAD_REQUEST_ERROR', OWN_TEXT.notFoundUrl)
    const [, id = '', last = ''] = route.path.exec(request.path) ?? []
    const body = parseBody(request)
    if (route.call === 'create' && isUnreachable(body['amount'])) {
      return { kind: 'reset' }
    }
    const fault = world.faults.take(route.call, subjectOf(world, request, body, id))
    return await strike(fault, (stale) => {
      try {
        return route.handle({ world, request, body, id, last, stale })
      } catch (error) {
        return refusal(error)
      }
    })
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): Answer {
  if (!(error instanceof ProviderError)) throw error
  return errorAnswer(error.status, 'BAD_REQUEST_ERROR', error.message, error.field)
}

/** The header must read `Basic …` to the letter, as at the provider. */
function checkKey(world: World, header: string | undefined): void {
  if (header === undefined) throw new ProviderError(OWN_TEXT.noKey, null, 401)
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(header)?.[1] ?? ''
  const [keyId = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  if (keyId !== world.config.keyId) throw new ProviderError(TEXT.invalidKey, null, 401)
  const given = Buffer.from(rest.join(':'))
  const secret = Buffer.from(world.config.keySecret)
  if (given.length !== secret.length || !timingSafeEqual(given, secret)) {
    throw new ProviderError(TEXT.invalidSecret, null, 401)
  }
}

/** What a fault rule can match this call by. */
function subjectOf(world: World, request: HttpRequest, body: Body, id: string): Subject {
  const { store } = world
  const linkId = store.get('payment', id)?.link_id ?? store.get('order', id)?.link_id ?? (id || undefined)
  const reference = body['reference_id'] ?? request.query.get('reference_id') ?? ''
  const link = linkId ? store.get('link', linkId) : store.linkByReference(String(reference))
  return {
    payment_link_id: linkId ?? link?.id,
    reference_id: link?.reference_id ?? String(reference),
    amount: typeof body['amount'] === 'number' ? body['amount'] : link?.amount,
  }
}

function create({ world, body }: Asked): Answer {
  const input = createInput(body, world.clock.now(), world.config.amountMaxPaise)
  return json(200, linkView(createLink(world, input), world.publicUrl))
}

function list({ world, request, stale }: Asked): Answer {
  const reference = request.query.get('reference_id')
  const paymentId = request.query.get('payment_id')
  const byReference = world.store.linkByReference(reference ?? '')
  const candidates = reference === null ? world.store.all('link') : byReference ? [byReference] : []
  const links = candidates
    .filter(
      (link) =>
        (reference === null || link.reference_id === reference) &&
        (paymentId === null || (link.payments ?? []).some((one) => one.payment_id === paymentId)),
    )
    .reverse()
  const views = page(request, links).map((link) => linkView(stale ? staleLink(link) : link, world.publicUrl))
  return json(200, { payment_links: views })
}

function fetchLink({ world, id, stale }: Asked): Answer {
  const link = linkById(world, id)
  return json(200, linkView(stale ? staleLink(link) : link, world.publicUrl))
}

function edit({ world, id, body }: Asked): Answer {
  const link = editLink(world, linkById(world, id), editInput(body, world.clock.now()))
  return json(200, linkView(link, world.publicUrl))
}

function cancel({ world, id }: Asked): Answer {
  return json(200, linkView(cancelLink(world, linkById(world, id)), world.publicUrl))
}

function notify({ world, id, last }: Asked): Answer {
  linkById(world, id)
  if (last !== 'sms' && last !== 'email') throw new ProviderError(TEXT.notMedium, 'medium')
  return json(200, { success: true })
}

function listPayments({ world, request }: Asked): Answer {
  const payments = page(request, world.store.all('payment').reverse())
  return json(200, collection(payments.map(paymentView)))
}

function fetchPayment({ world, id }: Asked): Answer {
  const payment = paymentById(world, id)
  const isHeldBack = payment.vpa === VPA_SLOW && world.clock.now() < payment.created_at + SLOW_DETAILS_SECONDS
  return isHeldBack ? errorAnswer(503, 'SERVER_ERROR', OWN_TEXT.slowDetails) : json(200, paymentView(payment))
}

function capture({ world, id }: Asked): Answer {
  // Every payment of a link is captured by the provider itself, so there is never one to capture.
  const payment = paymentById(world, id)
  throw new ProviderError(payment.captured ? OWN_TEXT.captured : OWN_TEXT.refundState)
}

function refund({ world, request, id, body }: Asked): Answer {
  const header = request.headers['x-refund-idempotency']
  const key = typeof header === 'string' ? header : null
  return json(200, refundView(refundPayment(world, paymentById(world, id), body, key)))
}

function listRefunds({ world, request, id }: Asked): Answer {
  const payment = paymentById(world, id)
  const refunds = world.store.all('refund').filter((one) => one.payment_id === payment.id)
  return json(200, collection(page(request, refunds.reverse()).map(refundView)))
}

function fetchOrder({ world, id }: Asked): Answer {
  return json(200, orderView(orderById(world, id)))
}

function listOrderPayments({ world, id }: Asked): Answer {
  const order = orderById(world, id)
  const payments = world.store.paymentsOf(order.link_id)
  return json(200, collection(payments.reverse().map(paymentView)))
}

/** `count` (10, at most 100), `skip`, `from` and `to` (Unix seconds) of a list, newest first. */
function page<T extends { readonly created_at: number }>(request: HttpRequest, items: readonly T[]): T[] {
  const whole = (name: string, fallback: number): number => {
    const raw = request.query.get(name)
    if (raw === null) return fallback
    if (!/^\d{1,12}$/.test(raw)) throw new ProviderError(OWN_TEXT.invalid(name), name)
    return Number(raw)
  }
  const count = whole('count', 10)
  if (count < 1 || count > 100) throw new ProviderError(OWN_TEXT.invalid('count'), 'count')
  const skip = whole('skip', 0)
  const [from, to] = [whole('from', 0), whole('to', Number.MAX_SAFE_INTEGER)]
  return items.filter(({ created_at }) => created_at >= from && created_at <= to).slice(skip, skip + count)
}

function linkById(world: World, id: string): Link {
  return found(world.store.get('link', id), 'plink', id)
}

function paymentById(world: World, id: string): Payment {
  return found(world.store.get('payment', id), 'pay', id)
}

function orderById(world: World, id: string): Order {
  return found(world.store.get('order', id), 'order', id)
}

/** An id that does not exist is a 400 at this provider, never a 404. */
function found<T>(entity: T | undefined, prefix: string, id: string): T {
  if (!new RegExp(`^${prefix}_[A-Za-z0-9]{14}$`).test(id)) {
    throw new ProviderError(TEXT.invalidId(id.slice(id.indexOf('_') + 1)))
  }
  if (entity === undefined) throw new ProviderError(TEXT.unknownId)
  return entity
}
