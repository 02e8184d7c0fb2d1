import type { Link, Payment, Refund, WebhookEvent } from './entities.ts'
import { ProviderError } from './errors.ts'
import { FaultError } from './faults.ts'
import { json, type Answer, type HttpRequest } from './http.ts'
import { FAILURE_REASONS, METHODS } from './instruments.ts'
import { expireLink } from './links.ts'
import { NotPayable, OUTCOMES, payLink, type Outcome } from './payments.ts'
import { returnUrl } from './redirect.ts'
import { balanceOf, endRefund } from './refunds.ts'
import { NothingToSettle, settle } from './settlements.ts'
import { passTime } from './time.ts'
import { linkView, orderView, paymentView, refundView, settlementView } from './views.ts'
import type { World } from './world.ts'

/** The name `GET /__sandbox/health` answers, by which another process recognises a sandbox. */
export const SERVICE_NAME = 'kist-sandbox'

/** Thrown with a sentence and a status; answered as `{"error":{"description"}}`. */
class ControlError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Input = Readonly<Record<string, unknown>>

/** Answers the control API below `/__sandbox/`; undefined when there is no such call. */
export async function answerControl(world: World, request: HttpRequest): Promise<Answer | undefined> {
  try {
    refuseForeignOrigin(request)
    return await route(world, request)
  } catch (error) {
    if (error instanceof ControlError) return refused(error.status, error.message)
    if (error instanceof NotPayable || error instanceof NothingToSettle || error instanceof ProviderError)
      return refused(409, error.message)
    if (error instanceof FaultError) return refused(400, error.message)
    throw error
  }
}

async function route(world: World, request: HttpRequest): Promise<Answer | undefined> {
  const [, , ...path] = request.path.split('/')
  const [noun = '', id = '', verb = ''] = path
  switch (`${request.method} ${noun}${id && ' :id'}${verb && ` ${verb}`}`) {
    case 'GET health':
      return json(200, { service: SERVICE_NAME, pid: process.pid, data_dir: world.config.dataDir })
    case 'GET state':
      return json(200, state(world))
    case 'POST links :id pay':
      return pay(world, linkById(world, id), inputOf(request))
    case 'POST links :id expire':
      return json(200, linkView(expireLink(world, linkById(world, id)), world.publicUrl))
    case 'POST refunds :id process':
      return endRefundByHand(world, id, 'processed')
    case 'POST refunds :id fail':
      return endRefundByHand(world, id, 'failed')
    case 'POST settle':
      return settleNow(world, inputOf(request))
    case 'GET faults':
      return json(200, { faults: world.faults.list() })
    case 'POST faults':
      return orderFaults(world, inputOf(request))
    case 'DELETE faults':
      world.faults.clear()
      return json(200, { faults: [] })
    case 'POST time':
      return advanceTime(world, inputOf(request))
    case 'POST webhooks :id':
      if (id === 'endpoint') return changeEndpoint(world, inputOf(request))
      return id === 'replay' ? await replay(world, inputOf(request)) : undefined
    case 'POST reset':
      return reset(world)
    default:
      return undefined
  }
}

function pay(world: World, link: Link, input: Input): Answer {
  const method = METHODS.find((one) => one === (input['method'] ?? 'upi'))
  const outcome: Outcome | undefined = OUTCOMES.find((one) => one === (input['outcome'] ?? 'success'))
  if (!method) throw new ControlError(400, `method must be one of ${METHODS.join(', ')}`)
  if (!outcome) throw new ControlError(400, `outcome must be one of ${OUTCOMES.join(', ')}`)
  const amount = wholeOf(input, 'amount', 1, world.config.amountMaxPaise)
  const afterSeconds = wholeOf(input, 'after_seconds', 0, 1e9)
  const reason = oneOf(input, 'reason', FAILURE_REASONS)
  const isSecondKept = oneOf(input, 'second_capture', ['refund', 'keep']) === 'keep'
  const paid = payLink(world, link, { method, outcome, amount, afterSeconds, reason, isSecondKept })
  return json(200, {
    payment_link: linkView(paid.link, world.publicUrl),
    payment: paymentView(paid.payment),
    redirect_url: outcome === 'success' ? returnUrl(world, paid.link, paid.payment) : null,
  })
}

function endRefundByHand(world: World, id: string, to: 'processed' | 'failed'): Answer {
  const refund: Refund | undefined = world.store.get('refund', id)
  if (!refund) throw new ControlError(404, `there is no refund ${id}`)
  if (refund.status !== 'pending') throw new ControlError(409, `the refund is ${refund.status}`)
  return json(200, refundView(endRefund(world, refund, to)))
}

function settleNow(world: World, input: Input): Answer {
  const leaveOut = input['leave_out'] ?? []
  if (!Array.isArray(leaveOut)) throw new ControlError(400, 'leave_out must be a list of payment or refund ids')
  const settlement = settle(world, {
    leaveOut: leaveOut.map(String),
    shortBy: wholeOf(input, 'short_by', 0, 1e12) ?? 0,
    adjustment: wholeOf(input, 'adjustment', -1e12, 1e12) ?? 0,
    adjustmentReason: typeof input['reason'] === 'string' ? input['reason'] : 'adjustment',
  })
  return json(200, { settlement: settlementView(settlement), items: settlement.rows })
}

function orderFaults(world: World, input: Input): Answer {
  if (input['clear'] === true) world.faults.clear()
  const { clear: _, faults, ...single } = input
  if (faults !== undefined) world.faults.add(faults)
  else if (Object.keys(single).length > 0) world.faults.add(single)
  return json(200, { faults: world.faults.list() })
}

function advanceTime(world: World, input: Input): Answer {
  const seconds = input['advance_seconds']
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || Math.abs(seconds) > 1e9) {
    throw new ControlError(400, 'advance_seconds must be a number')
  }
  world.clock.advance(seconds)
  passTime(world)
  return json(200, { offset_ms: world.clock.offsetMs, now: world.clock.now() })
}

function changeEndpoint(world: World, input: Input): Answer {
  const { url } = input
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new ControlError(400, 'url must be an http(s) address')
  world.deliverer.endpoint = new URL(url)
  return json(200, { url })
}

async function replay(world: World, input: Input): Promise<Answer> {
  const linkId = input['payment_link_id']
  if (typeof linkId !== 'string') throw new ControlError(400, 'payment_link_id is required')
  linkById(world, linkId)
  const times = wholeOf(input, 'times', 1, 10_000) ?? 1
  const concurrency = wholeOf(input, 'concurrency', 1, 500) ?? 1
  const wanted = (event: WebhookEvent): boolean =>
    (input['event'] === undefined || input['event'] === event.event) && (input['event_id'] === undefined || input['event_id'] === event.id)
  const events = world.store.of('event', linkId).filter(wanted)
  const queue = Array.from({ length: times }, () => events).flat()
  const results: { event_id: string; event: string; status: number | null }[] = []
  const worker = async (): Promise<void> => {
    for (let event = queue.shift(); event; event = queue.shift()) {
      const { status } = await world.deliverer.replay(event)
      results.push({ event_id: event.id, event: event.event, status })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return json(200, { delivered: results.length, statuses: results.map(({ status }) => status), results })
}

function state(world: World): Record<string, unknown> {
  const { store, clock, faults, publicUrl } = world
  const attempts = Map.groupBy(store.all('attempt'), ({ event_id }) => event_id)
  const deliveries = new Map(store.all('delivery').map((delivery) => [delivery.id, delivery]))
  return {
    now: clock.now(),
    offset_ms: clock.offsetMs,
    links: store.all('link').map((link) => linkView(link, publicUrl)),
    orders: store.all('order').map(orderView),
    payments: store.all('payment').map((payment) => ({
      ...paymentView(payment),
      payment_link_id: payment.link_id,
      late_at_ms: lateAtMs(payment),
      settlement_id: payment.settlement_id,
    })),
    refunds: store.all('refund').map((refund) => ({ ...refundView(refund), settlement_id: refund.settlement_id })),
    settlements: store.all('settlement').map(settlementView),
    balance: balanceOf(world),
    webhook_deliveries: store.all('event').map((event) => ({
      event_id: event.id,
      event: event.event,
      payment_link_id: event.link_id,
      created_at_ms: event.created_at_ms,
      status: deliveries.get(event.id)?.status,
      next_attempt_at_ms: deliveries.get(event.id)?.due_at_ms,
      attempts: attempts.get(event.id) ?? [],
    })),
    faults: faults.list(),
  }
}

/** When a success still comes; null when none is on its way. */
function lateAtMs({ planned }: Payment): number | null {
  return planned?.to === 'captured' ? planned.at_ms : null
}

function reset(world: World): Answer {
  world.store.reset()
  world.faults.clear()
  world.clock.reset()
  return json(200, { success: true })
}

function linkById(world: World, id: string): Link {
  const link = world.store.get('link', id)
  if (!link) throw new ControlError(404, `there is no payment link ${id}`)
  return link
}

function inputOf(request: HttpRequest): Input {
  if (request.body.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(request.body)
    if (Array.isArray(value)) return { faults: value }
    if (typeof value === 'object' && value !== null) return value as Input
  } catch {
    // Said below.
  }
  throw new ControlError(400, 'the body must be a JSON object')
}

function oneOf(input: Input, field: string, allowed: readonly string[]): string | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new ControlError(400, `${field} must be one of ${allowed.join(', ')}`)
  return found
}

function wholeOf(input: Input, field: string, min: number, max: number): number | undefined {
  const value = input[field]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) {
    return value
  }
  throw new ControlError(400, `${field} must be a whole number from ${min} to ${max}`)
}

/** A web page from elsewhere that the developer has open must not be able to steer the sandbox. */
function refuseForeignOrigin(request: HttpRequest): void {
  const { origin, host } = request.headers
  if (request.method === 'GET' || origin === undefined) return
  if (origin !== `http://${host}`) throw new ControlError(403, 'asked from a page of another origin')
}

function refused(status: number, description: string): Answer {
  return json(status, { error: { description } })
}
