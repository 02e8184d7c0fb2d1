import { DEFAULT_ENDPOINT, type Link, type Payment, type Refund } from './entities.ts'
import { ProviderError } from './errors.ts'
import { ControlError, inputOf, listOf, oneOf, secondsOf, textOf, wholeOf, type Input } from './control-input.ts'
import { answerWebhooks, deliveryView } from './control-webhooks.ts'
import { endDispute, NotDisputable, raiseDispute } from './disputes.ts'
import { FaultError } from './faults.ts'
import { json, type Answer, type HttpRequest } from './http.ts'
import { FAILURE_REASONS, METHODS } from './instruments.ts'
import { expireLink } from './links.ts'
import { NotPayable, OUTCOMES, payLink } from './payments.ts'
import { returnUrl } from './redirect.ts'
import { balanceOf, endRefund } from './refunds.ts'
import { NothingToSettle, settle } from './settlements.ts'
import { passTime } from './time.ts'
import { disputeView, linkView, orderView, paymentView, refundView, settlementView } from './views.ts'
import type { World } from './world.ts'

/** The name `GET /__sandbox/health` answers, by which another process recognises a sandbox. */
export const SERVICE_NAME = 'kist-sandbox'

/** Answers the control API below `/__sandbox/`; undefined when there is no such call. */
export async function answerControl(world: World, request: HttpRequest): Promise<Answer | undefined> {
  try {
    refuseForeignOrigin(request)
    return await route(world, request)
  } catch (error) {
    if (error instanceof ControlError) return refused(error.status, error.message)
    if (isConflict(error)) return refused(409, error.message)
    if (error instanceof FaultError) return refused(400, error.message)
    throw error
  }
}

function isConflict(error: unknown): error is Error {
  return [NotPayable, NotDisputable, NothingToSettle, ProviderError].some((kind) => error instanceof kind)
}

async function route(world: World, request: HttpRequest): Promise<Answer | undefined> {
  const [, , ...path] = request.path.split('/')
  const [noun = '', id = '', verb = ''] = path
  if (noun === 'webhooks') return await answerWebhooks(world, request, path.slice(1))
  switch (`${request.method} ${noun}${id && ' :id'}${verb && ` ${verb}`}`) {
    case 'GET health':
      return json(200, { service: SERVICE_NAME, pid: process.pid, data_dir: world.config.dataDir })
    case 'GET state':
      return json(200, state(world, request.query.get('payment_link_id')))
    case 'POST links :id pay':
      return pay(world, linkById(world, id), inputOf(request))
    case 'POST links :id expire':
      return json(200, linkView(expireLink(world, linkById(world, id)), world.publicUrl))
    case 'POST refunds :id process':
      return endRefundByHand(world, id, 'processed')
    case 'POST refunds :id fail':
      return endRefundByHand(world, id, 'failed')
    case 'POST payments :id dispute':
      return dispute(world, id, inputOf(request))
    case 'POST disputes :id win':
      return endDisputeByHand(world, id, 'won')
    case 'POST disputes :id lose':
      return endDisputeByHand(world, id, 'lost')
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
      return changeTime(world, inputOf(request))
    case 'POST reset':
      return reset(world)
    default:
      return undefined
  }
}

function pay(world: World, link: Link, input: Input): Answer {
  const method = oneOf(input, 'method', METHODS) ?? 'upi'
  const outcome = oneOf(input, 'outcome', OUTCOMES) ?? 'success'
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

function dispute(world: World, id: string, input: Input): Answer {
  const payment = world.store.get('payment', id)
  if (!payment) throw new ControlError(404, `there is no payment ${id}`)
  return json(200, disputeView(raiseDispute(world, payment, wholeOf(input, 'amount', 100, payment.amount) ?? payment.amount)))
}

function endDisputeByHand(world: World, id: string, status: 'won' | 'lost'): Answer {
  const found = world.store.get('dispute', id)
  if (!found) throw new ControlError(404, `there is no dispute ${id}`)
  return json(200, disputeView(endDispute(world, found, status)))
}

function settleNow(world: World, input: Input): Answer {
  const settlement = settle(world, {
    leaveOut: listOf(input, 'leave_out') ?? [],
    shortBy: wholeOf(input, 'short_by', 0, 1e12) ?? 0,
    adjustment: wholeOf(input, 'adjustment', -1e12, 1e12) ?? 0,
    adjustmentReason: textOf(input, 'reason') ?? 'adjustment',
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

function changeTime(world: World, input: Input): Answer {
  const { clock } = world
  const [advance, skew] = [secondsOf(input, 'advance_seconds'), secondsOf(input, 'skew_seconds')]
  const freeze = input['freeze']
  if (advance === undefined && skew === undefined && typeof freeze !== 'boolean') {
    throw new ControlError(400, 'advance_seconds must be a number; or say skew_seconds, or freeze')
  }
  if (advance !== undefined) clock.advance(advance)
  if (skew !== undefined) clock.skew(skew)
  if (typeof freeze === 'boolean') clock.freeze(freeze)
  passTime(world)
  return json(200, { offset_ms: clock.offsetMs, now: clock.now() })
}

/** Everything, or what belongs to one link. */
function state(world: World, linkId: string | null): Record<string, unknown> {
  const { store, clock, faults, publicUrl } = world
  const links = linkId === null ? store.all('link') : [linkById(world, linkId)]
  const payments = linkId === null ? store.all('payment') : store.of('payment', linkId)
  const events = linkId === null ? store.all('event') : store.of('event', linkId)
  const orders = linkId === null ? store.all('order') : links.flatMap(({ order_id }) => store.get('order', order_id ?? '') ?? [])
  const refunds = linkId === null ? store.all('refund') : payments.flatMap(({ id }) => store.of('refund', id))
  return {
    now: clock.now(),
    offset_ms: clock.offsetMs,
    links: links.map((link) => linkView(link, publicUrl)),
    orders: orders.map(orderView),
    payments: payments.map((payment) => ({
      ...paymentView(payment),
      payment_link_id: payment.link_id,
      late_at_ms: lateAtMs(payment),
      settlement_id: payment.settlement_id,
    })),
    refunds: refunds.map((refund) => ({ ...refundView(refund), settlement_id: refund.settlement_id })),
    settlements: store.all('settlement').map(settlementView),
    disputes: store.all('dispute').map(disputeView),
    balance: balanceOf(world),
    webhook_endpoints: store.all('endpoint').filter(({ status }) => status !== 'deleted'),
    webhook_deliveries: events.flatMap(({ id }) => store.of('delivery', id)).map((delivery) => deliveryView(world, delivery)),
    faults: faults.list(),
  }
}

/** When a success still comes; null when none is on its way. */
function lateAtMs({ planned }: Payment): number | null {
  return planned?.to === 'captured' ? planned.at_ms : null
}

function reset(world: World): Answer {
  const endpoint = world.store.get('endpoint', DEFAULT_ENDPOINT)
  world.store.reset()
  world.deliverer.reset()
  // Where events go is the merchant's setting, and outlives what they tell of.
  if (endpoint) world.store.commit([['endpoint', endpoint]])
  world.faults.clear()
  world.clock.reset()
  return json(200, { success: true })
}

function linkById(world: World, id: string): Link {
  const link = world.store.get('link', id)
  if (!link) throw new ControlError(404, `there is no payment link ${id}`)
  return link
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
