import { addressOf, ControlError, inputOf, listOf, oneOf, textOf, wholeOf, type Input } from './control-input.ts'
import { defaultEndpoint, deliveryStatuses, type Delivery, type Endpoint, type WebhookEvent } from './entities.ts'
import { json, type Answer, type HttpRequest } from './http.ts'
import { commitChanges, type SandboxContext } from './context.ts'

/** Answers `/__sandbox/webhooks/…`; undefined when there is no such call. */
export async function answerWebhooks(context: SandboxContext, request: HttpRequest, path: readonly string[]): Promise<Answer | undefined> {
  const [resource = '', id = '', action = ''] = path
  switch (`${request.method} ${resource}${id && ' :id'}${action && ` ${action}`}`) {
    case 'POST endpoint':
      return json(200, { url: changed(context, defaultEndpoint, { url: required(addressOf(inputOf(request), 'url'), 'url') }).url })
    case 'GET endpoints':
      return json(200, { endpoints: context.store.all('endpoint').filter(isThere) })
    case 'POST endpoints':
      return json(200, addEndpoint(context, inputOf(request)))
    case 'PATCH endpoints :id':
      return json(200, changed(context, id, { ...urlAndEvents(inputOf(request)) }))
    case 'DELETE endpoints :id':
      return json(200, changed(context, id, { status: 'deleted' }))
    case 'POST endpoints :id enable':
      return json(200, changed(context, id, { status: 'active', enabled_at_ms: context.clock.nowMs(), disabled_at_ms: null }))
    case 'POST endpoints :id disable':
      return json(200, changed(context, id, { status: 'disabled', disabled_at_ms: context.clock.nowMs() }))
    case 'POST endpoints :id rotate':
      return json(200, changed(context, id, { secret: required(textOf(inputOf(request), 'secret'), 'secret') }))
    case 'GET deliveries':
      return json(200, { deliveries: deliveryLog(context, Object.fromEntries(request.query)) })
    case 'POST replay':
      return await replay(context, inputOf(request))
    default:
      return undefined
  }
}

const isThere = ({ status }: Endpoint): boolean => status !== 'deleted'

function addEndpoint(context: SandboxContext, input: Input): Endpoint {
  const endpoint: Endpoint = {
    id: `ep_${context.chance.text(8)}`,
    url: required(addressOf(input, 'url'), 'url'),
    secret: textOf(input, 'secret') ?? context.config.webhookSecret,
    events: listOf(input, 'events') ?? null,
    status: 'active',
    enabled_at_ms: context.clock.nowMs(),
    disabled_at_ms: null,
  }
  commitChanges(context, [['endpoint', endpoint]], [])
  return endpoint
}

function urlAndEvents(input: Input): Partial<Endpoint> {
  const [url, events] = [addressOf(input, 'url'), listOf(input, 'events')]
  return { ...(url === undefined ? {} : { url }), ...(events === undefined ? {} : { events }) }
}

function changed(context: SandboxContext, id: string, change: Partial<Endpoint>): Endpoint {
  const endpoint = context.store.get('endpoint', id)
  if (!endpoint || !isThere(endpoint)) throw new ControlError(404, `there is no webhook endpoint ${id}`)
  const after: Endpoint = { ...endpoint, ...change }
  commitChanges(context, [['endpoint', after]], [])
  return after
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new ControlError(400, `${field} is required`)
  return value
}

/** A delivery and its attempts, in the form of the API. */
export function deliveryView(context: SandboxContext, delivery: Delivery): Record<string, unknown> {
  const event = context.store.get('event', delivery.event_id)
  return {
    event_id: delivery.event_id,
    endpoint_id: delivery.endpoint_id,
    event: event?.event,
    payment_link_id: event?.link_id,
    created_at_ms: event?.created_at_ms,
    status: delivery.status,
    next_attempt_at_ms: delivery.due_at_ms,
    attempts: context.store.of('attempt', delivery.event_id).filter(({ endpoint_id }) => endpoint_id === delivery.endpoint_id),
  }
}

/** The newest deliveries that match, `count` (100) of them. */
function deliveryLog(context: SandboxContext, query: Input): Record<string, unknown>[] {
  const count = Number(query['count'] ?? 100)
  const log: Record<string, unknown>[] = []
  for (const delivery of context.store.newest('delivery')) {
    if (log.length >= count) break
    if (wanted(context, delivery, query)) log.push(deliveryView(context, delivery))
  }
  return log
}

/**
 * Sends the events of one link, or all that match, again; each copy is an attempt outside the
 * schedule.
 */
async function replay(context: SandboxContext, input: Input): Promise<Answer> {
  const times = wholeOf(input, 'times', 1, 10_000) ?? 1
  const concurrency = wholeOf(input, 'concurrency', 1, 500) ?? 1
  oneOf(input, 'status', deliveryStatuses)
  const chosen = candidates(context, input).filter((delivery) => wanted(context, delivery, input))
  const queue = Array.from({ length: times }, () => chosen).flat()
  const results: { event_id: string; event: string | undefined; endpoint_id: string; status: number | null }[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let delivery = queue[next++]; delivery; delivery = queue[next++]) {
      const { status } = await context.deliverer.replay(delivery)
      const { event_id, endpoint_id } = delivery
      results.push({ event_id, event: context.store.get('event', event_id)?.event, endpoint_id, status })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return json(200, { delivered: results.length, statuses: results.map(({ status }) => status), results })
}

function candidates(context: SandboxContext, input: Input): Delivery[] {
  const linkId = textOf(input, 'payment_link_id')
  if (linkId !== undefined) {
    if (!context.store.get('link', linkId)) throw new ControlError(404, `there is no payment link ${linkId}`)
    return context.store.of('event', linkId).flatMap(({ id }: WebhookEvent) => context.store.of('delivery', id))
  }
  const narrows = ['status', 'endpoint_id', 'event', 'event_id', 'since_seconds']
  if (input['all'] !== true && !narrows.some((field) => input[field] !== undefined)) {
    throw new ControlError(400, `payment_link_id is required, or one of ${narrows.join(', ')}, or "all": true`)
  }
  return context.store.all('delivery')
}

function wanted(context: SandboxContext, delivery: Delivery, input: Input): boolean {
  const event = context.store.get('event', delivery.event_id)
  const since = Number(input['since_seconds'] ?? Number.POSITIVE_INFINITY)
  const is = (field: string, value: unknown): boolean => input[field] === undefined || input[field] === value
  return (
    event !== undefined &&
    is('event', event.event) &&
    is('event_id', event.id) &&
    is('payment_link_id', event.link_id) &&
    is('status', delivery.status) &&
    is('endpoint_id', delivery.endpoint_id) &&
    event.created_at_ms >= context.clock.nowMs() - since * 1000
  )
}
