import type { Link, Order, Payment } from './entities.ts'
import { ownTexts, ProviderError, providerTexts } from './errors.ts'
import type { Call, Fault } from './faults.ts'
import { json, type Answer, type HttpRequest } from './http.ts'
import type { Body } from './link-input.ts'
import type { SandboxContext } from './context.ts'

/** One call of the API, as its handler sees it. */
export type Asked = {
  readonly context: SandboxContext
  readonly request: HttpRequest
  readonly body: Body
  /** The id in the path, '' where there is none. */
  readonly id: string
  /** Last part of the path where a route has one (the medium of notify_by). */
  readonly last: string
  /** The fault of this call, for handlers that apply it themselves. */
  readonly fault: Fault | undefined
}

export type Route = {
  readonly method: string
  readonly path: RegExp
  readonly call: Exclude<Call, '*'>
  readonly handle: (asked: Asked) => Answer
}

/** Whether a fault asks for the state before the last changes. */
export const isStale = ({ fault }: Asked): boolean => fault?.kind === 'stale_read'

/** `count` (default 10), `skip`, `from` and `to` (Unix seconds) of a list, newest first. */
export function page<T extends { readonly created_at: number }>(request: HttpRequest, items: Iterable<T>, countMax = 100): T[] {
  const count = whole(request, 'count', 10)
  if (count < 1) throw new ProviderError(providerTexts.countMin, 'count')
  if (count > countMax) throw new ProviderError(ownTexts.invalid('count'), 'count')
  let skip = whole(request, 'skip', 0)
  const [from, to] = [whole(request, 'from', 0), whole(request, 'to', Number.MAX_SAFE_INTEGER)]
  const shown: T[] = []
  for (const item of items) {
    if (item.created_at < from || item.created_at > to || skip-- > 0) continue
    shown.push(item)
    if (shown.length === count) break
  }
  return shown
}

/** A whole number of the query. */
export function whole(request: HttpRequest, name: string, fallback: number): number {
  const raw = request.query.get(name)
  if (raw === null) return fallback
  if (!/^\d{1,12}$/.test(raw)) throw new ProviderError(ownTexts.invalid(name), name)
  return Number(raw)
}

/** The answer to a request to notify the payer. The sandbox sends nothing. */
export function answerNotify({ last: medium }: Asked): Answer {
  if (medium !== 'sms' && medium !== 'email') throw new ProviderError(providerTexts.notMedium, 'medium')
  return json(200, { success: true })
}

export function linkById(context: SandboxContext, id: string): Link {
  return found(context.store.get('link', id), 'plink', id)
}

export function paymentById(context: SandboxContext, id: string): Payment {
  return found(context.store.get('payment', id), 'pay', id)
}

export function orderById(context: SandboxContext, id: string): Order {
  return found(context.store.get('order', id), 'order', id)
}

/** This provider answers 400 for an unknown id, never 404. */
export function found<T>(entity: T | undefined, prefix: string, id: string): T {
  if (!new RegExp(`^${prefix}_[A-Za-z0-9]{14}$`).test(id)) {
    throw new ProviderError(providerTexts.invalidId(id.slice(id.indexOf('_') + 1)))
  }
  if (entity === undefined) throw new ProviderError(providerTexts.unknownId)
  return entity
}
