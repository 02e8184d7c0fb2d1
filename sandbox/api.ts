import { timingSafeEqual } from 'node:crypto'
import { LINK_ROUTES } from './api-links.ts'
import { MONEY_ROUTES } from './api-money.ts'
import type { Route } from './api-request.ts'
import { parseBody } from './body.ts'
import { errorAnswer, OWN_TEXT, ProviderError, TEXT } from './errors.ts'
import type { Subject } from './faults.ts'
import type { Answer, HttpRequest, Reply } from './http.ts'
import type { Body } from './link-input.ts'
import { strike } from './strike.ts'
import type { World } from './world.ts'

/** Any amount that ends like ₹…,313.13 breaks the connection at create: a part payment a person can type. */
const isUnreachable = (amountPaise: unknown): boolean => typeof amountPaise === 'number' && amountPaise % 100_000 === 31_313

const ROUTES: readonly Route[] = [...LINK_ROUTES, ...MONEY_ROUTES]

/** Answers `/v1/*`: key, route, body, fault, handler, in this order. */
export async function answerApi(world: World, request: HttpRequest): Promise<Reply> {
  try {
    checkKey(world, request.headers.authorization)
    const route = ROUTES.find(({ method, path }) => method === request.method && path.test(request.path))
    if (!route) return errorAnswer(404, 'BAD_REQUEST_ERROR', OWN_TEXT.notFoundUrl)
    const body = parseBody(request)
    if (route.call === 'create' && isUnreachable(body['amount'])) return { kind: 'reset' }
    return route.call === 'refund'
      ? await alone(world, request, () => answer(world, request, route, body))
      : await answer(world, request, route, body)
  } catch (error) {
    return refusal(error)
  }
}

async function answer(world: World, request: HttpRequest, route: Route, body: Body): Promise<Reply> {
  const [, id = '', last = ''] = route.path.exec(request.path) ?? []
  const fault = world.faults.take(route.call, subjectOf(world, request, body, id))
  return await strike(fault, () => {
    try {
      return route.handle({ world, request, body, id, last, fault })
    } catch (error) {
      return refusal(error)
    }
  })
}

/** Two refunds under one key at the same time: the second is turned away with 409. */
async function alone(world: World, request: HttpRequest, work: () => Promise<Reply>): Promise<Reply> {
  const key = request.headers['x-refund-idempotency']
  if (typeof key !== 'string') return await work()
  if (world.refundKeysUnderWay.has(key)) throw new ProviderError(OWN_TEXT.refundUnderWay, null, 409)
  world.refundKeysUnderWay.add(key)
  try {
    return await work()
  } finally {
    world.refundKeysUnderWay.delete(key)
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
  const about = store.get('payment', id) ?? store.get('order', id) ?? store.get('refund', id)
  const linkId = about?.link_id ?? (id || undefined)
  const reference = body['reference_id'] ?? request.query.get('reference_id') ?? ''
  const link = linkId ? store.get('link', linkId) : store.linkByReference(String(reference))
  return {
    payment_link_id: linkId ?? link?.id,
    reference_id: link?.reference_id ?? String(reference),
    amount: typeof body['amount'] === 'number' ? body['amount'] : link?.amount,
  }
}
