import { defaultEndpoint, type Link, type Payment, type Refund } from './entities.ts'
import { ProviderError } from './errors.ts'
import { ControlError, inputOf, listOf, oneOf, secondsOf, textOf, wholeOf, type Input } from './control-input.ts'
import { answerWebhooks, deliveryView } from './control-webhooks.ts'
import { endDispute, NotDisputable, raiseDispute } from './disputes.ts'
import { FaultError } from './faults.ts'
import { json, type Answer, type HttpRequest } from './http.ts'
import { failureReasons, allMethods } from './instruments.ts'
import { expireLink } from './links.ts'
import { NotPayable, paymentOutcomes, payLink } from './payments.ts'
import { answerRecurringControl, recurringState } from './recurring/control.ts'
import { NotOpen } from './recurring/registrations.ts'
import { NotChangeable } from './recurring/tokens.ts'
import { returnUrl } from './redirect.ts'
import { balanceOf, endRefund } from './refunds.ts'
import { NothingToSettle, settle } from './settlements.ts'
import { processElapsedTime } from './time.ts'
import { disputeView, linkView, orderView, paymentView, refundView, settlementView } from './views.ts'
import type { SandboxContext } from './context.ts'

/** The name in `GET /__sandbox/health`, by which other processes recognise a sandbox. */
const serviceName = 'kist-sandbox'

/** Answers the control API below `/__sandbox/`; undefined when there is no such call. */
export async function answerControl(context: SandboxContext, request: HttpRequest): Promise<Answer | undefined> {
  try {
    refuseForeignOrigin(request)
    return await route(context, request)
  } catch (error) {
    if (error instanceof ControlError) return refused(error.status, error.message)
    if (isConflict(error)) return refused(409, error.message)
    if (error instanceof FaultError) return refused(400, error.message)
    throw error
  }
}

function isConflict(error: unknown): error is Error {
  return [NotPayable, NotDisputable, NothingToSettle, NotOpen, NotChangeable, ProviderError].some((kind) => error instanceof kind)
}

async function route(context: SandboxContext, request: HttpRequest): Promise<Answer | undefined> {
  const [, , ...path] = request.path.split('/')
  const [resource = '', id = '', action = ''] = path
  if (resource === 'webhooks') return await answerWebhooks(context, request, path.slice(1))
  const recurring = answerRecurringControl(context, request, path)
  if (recurring) return recurring
  switch (`${request.method} ${resource}${id && ' :id'}${action && ` ${action}`}`) {
    case 'GET health':
      return json(200, { service: serviceName, pid: process.pid, data_dir: context.config.dataDir })
    case 'GET state':
      return json(200, state(context, request.query.get('payment_link_id')))
    case 'POST links :id pay':
      return pay(context, linkById(context, id), inputOf(request))
    case 'POST links :id expire':
      return json(200, linkView(expireLink(context, linkById(context, id)), context.publicUrl))
    case 'POST refunds :id process':
      return endRefundByHand(context, id, 'processed')
    case 'POST refunds :id fail':
      return endRefundByHand(context, id, 'failed')
    case 'POST payments :id dispute':
      return dispute(context, id, inputOf(request))
    case 'POST disputes :id win':
      return endDisputeByHand(context, id, 'won')
    case 'POST disputes :id lose':
      return endDisputeByHand(context, id, 'lost')
    case 'POST settle':
      return settleNow(context, inputOf(request))
    case 'GET faults':
      return json(200, { faults: context.faults.list() })
    case 'POST faults':
      return orderFaults(context, inputOf(request))
    case 'DELETE faults':
      context.faults.clear()
      return json(200, { faults: [] })
    case 'POST time':
      return changeTime(context, inputOf(request))
    case 'POST reset':
      return reset(context)
    default:
      return undefined
  }
}

function pay(context: SandboxContext, link: Link, input: Input): Answer {
  const method = oneOf(input, 'method', allMethods) ?? 'upi'
  const outcome = oneOf(input, 'outcome', paymentOutcomes) ?? 'success'
  const amount = wholeOf(input, 'amount', 1, context.config.amountMaxPaise)
  const afterSeconds = wholeOf(input, 'after_seconds', 0, 1e9)
  const reason = oneOf(input, 'reason', failureReasons)
  const isSecondKept = oneOf(input, 'second_capture', ['refund', 'keep']) === 'keep'
  const paid = payLink(context, link, { method, outcome, amount, afterSeconds, reason, isSecondKept })
  return json(200, {
    payment_link: linkView(paid.link, context.publicUrl),
    payment: paymentView(paid.payment),
    redirect_url: outcome === 'success' ? returnUrl(context, paid.link, paid.payment) : null,
  })
}

function endRefundByHand(context: SandboxContext, id: string, to: 'processed' | 'failed'): Answer {
  const refund: Refund | undefined = context.store.get('refund', id)
  if (!refund) throw new ControlError(404, `there is no refund ${id}`)
  if (refund.status !== 'pending') throw new ControlError(409, `the refund is ${refund.status}`)
  return json(200, refundView(endRefund(context, refund, to)))
}

function dispute(context: SandboxContext, id: string, input: Input): Answer {
  const payment = context.store.get('payment', id)
  if (!payment) throw new ControlError(404, `there is no payment ${id}`)
  return json(200, disputeView(raiseDispute(context, payment, wholeOf(input, 'amount', 100, payment.amount) ?? payment.amount)))
}

function endDisputeByHand(context: SandboxContext, id: string, status: 'won' | 'lost'): Answer {
  const found = context.store.get('dispute', id)
  if (!found) throw new ControlError(404, `there is no dispute ${id}`)
  return json(200, disputeView(endDispute(context, found, status)))
}

function settleNow(context: SandboxContext, input: Input): Answer {
  const settlement = settle(context, {
    leaveOut: listOf(input, 'leave_out') ?? [],
    shortBy: wholeOf(input, 'short_by', 0, 1e12) ?? 0,
    adjustment: wholeOf(input, 'adjustment', -1e12, 1e12) ?? 0,
    adjustmentReason: textOf(input, 'reason') ?? 'adjustment',
  })
  return json(200, { settlement: settlementView(settlement), items: settlement.rows })
}

function orderFaults(context: SandboxContext, input: Input): Answer {
  if (input['clear'] === true) context.faults.clear()
  const { clear: _, faults, ...single } = input
  if (faults !== undefined) context.faults.add(faults)
  else if (Object.keys(single).length > 0) context.faults.add(single)
  return json(200, { faults: context.faults.list() })
}

function changeTime(context: SandboxContext, input: Input): Answer {
  const { clock } = context
  const [advance, skew] = [secondsOf(input, 'advance_seconds'), secondsOf(input, 'skew_seconds')]
  const freeze = input['freeze']
  if (advance === undefined && skew === undefined && typeof freeze !== 'boolean') {
    throw new ControlError(400, 'advance_seconds must be a number; or say skew_seconds, or freeze')
  }
  if (advance !== undefined) clock.advance(advance)
  if (skew !== undefined) clock.skew(skew)
  if (typeof freeze === 'boolean') clock.freeze(freeze)
  processElapsedTime(context)
  return json(200, { offset_ms: clock.offsetMs, now: clock.now() })
}

/** The whole state, or that of one link. */
function state(context: SandboxContext, linkId: string | null): Record<string, unknown> {
  const { store, clock, faults, publicUrl } = context
  const links = linkId === null ? store.all('link') : [linkById(context, linkId)]
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
      payment_link_id: payment.link_id || null,
      late_at_ms: lateAtMs(payment),
      settlement_id: payment.settlement_id,
    })),
    refunds: refunds.map((refund) => ({ ...refundView(refund), settlement_id: refund.settlement_id })),
    settlements: store.all('settlement').map(settlementView),
    disputes: store.all('dispute').map(disputeView),
    ...(linkId === null ? recurringState(context) : {}),
    balance: balanceOf(context),
    webhook_endpoints: store.all('endpoint').filter(({ status }) => status !== 'deleted'),
    webhook_deliveries: events.flatMap(({ id }) => store.of('delivery', id)).map((delivery) => deliveryView(context, delivery)),
    faults: faults.list(),
  }
}

/** When a late success is due; null when none is planned. */
function lateAtMs({ planned }: Payment): number | null {
  return planned?.to === 'captured' ? planned.at_ms : null
}

function reset(context: SandboxContext): Answer {
  const endpoint = context.store.get('endpoint', defaultEndpoint)
  context.store.reset()
  context.deliverer.reset()
  // Endpoints are settings of the merchant and survive a reset.
  if (endpoint) context.store.commit([['endpoint', endpoint]])
  context.faults.clear()
  context.nextOutcomes.clear()
  context.clock.reset()
  return json(200, { success: true })
}

function linkById(context: SandboxContext, id: string): Link {
  const link = context.store.get('link', id)
  if (!link) throw new ControlError(404, `there is no payment link ${id}`)
  return link
}

/** Other web pages in the developer's browser must not control the sandbox. */
function refuseForeignOrigin(request: HttpRequest): void {
  const { origin, host } = request.headers
  if (request.method === 'GET' || origin === undefined) return
  if (origin !== `http://${host}`) throw new ControlError(403, 'asked from a page of another origin')
}

function refused(status: number, description: string): Answer {
  return json(status, { error: { description } })
}
