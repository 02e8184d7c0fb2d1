import { found, isStale, orderById, page, paymentById, whole, type Asked, type Route } from './api-request.ts'
import type { Payment, Refund } from './entities.ts'
import { errorAnswer, ownTexts, ProviderError, providerTexts } from './errors.ts'
import { json, type Answer } from './http.ts'
import { banks, slowDetailsSeconds, slowVpa, wallets } from './instruments.ts'
import { amountOf, notesOf, onlyFields } from './link-input.ts'
import { captureByMerchant } from './payments.ts'
import { refundPayment, type RefundCourse } from './refunds.ts'
import { reconRows } from './settlements.ts'
import { collection, disputeView, orderView, paymentView, refundView, settlementView, staleOrder, stalePayment } from './views.ts'
import { commitChanges } from './context.ts'

/** Payments, orders, refunds, settlements. */
export const moneyRoutes: readonly Route[] = [
  { method: 'GET', path: /^\/v1\/payments$/, call: 'payments', handle: listPayments },
  { method: 'GET', path: /^\/v1\/payments\/([^/]+)$/, call: 'payment', handle: fetchPayment },
  { method: 'POST', path: /^\/v1\/payments\/([^/]+)\/capture$/, call: 'capture', handle: capture },
  { method: 'POST', path: /^\/v1\/payments\/([^/]+)\/refund$/, call: 'refund', handle: refund },
  { method: 'GET', path: /^\/v1\/payments\/([^/]+)\/refunds$/, call: 'refunds', handle: listRefundsOfPayment },
  { method: 'GET', path: /^\/v1\/payments\/([^/]+)\/refunds\/([^/]+)$/, call: 'refund_fetch', handle: fetchRefundOfPayment },
  { method: 'GET', path: /^\/v1\/refunds$/, call: 'refund_list', handle: listRefunds },
  { method: 'GET', path: /^\/v1\/refunds\/([^/]+)$/, call: 'refund_fetch', handle: fetchRefund },
  { method: 'PATCH', path: /^\/v1\/refunds\/([^/]+)$/, call: 'refund_edit', handle: editRefund },
  { method: 'GET', path: /^\/v1\/orders\/([^/]+)$/, call: 'order', handle: fetchOrder },
  { method: 'GET', path: /^\/v1\/orders\/([^/]+)\/payments$/, call: 'order_payments', handle: listOrderPayments },
  { method: 'GET', path: /^\/v1\/settlements$/, call: 'settlements', handle: listSettlements },
  { method: 'GET', path: /^\/v1\/settlements\/recon\/combined$/, call: 'recon', handle: recon },
  { method: 'GET', path: /^\/v1\/settlements\/([^/]+)$/, call: 'settlement', handle: fetchSettlement },
  { method: 'GET', path: /^\/v1\/disputes$/, call: 'disputes', handle: listDisputes },
  { method: 'GET', path: /^\/v1\/disputes\/([^/]+)$/, call: 'dispute', handle: fetchDispute },
  { method: 'GET', path: /^\/v1\/methods$/, call: 'methods', handle: methods },
]

function listPayments(asked: Asked): Answer {
  const payments = page(asked.request, asked.context.store.newest('payment'))
  return json(200, collection(payments.map((payment) => paymentView(isStale(asked) ? stalePayment(payment) : payment))))
}

function fetchPayment(asked: Asked): Answer {
  const { context, id } = asked
  const payment = paymentById(context, id)
  const isHeldBack = payment.vpa === slowVpa && context.clock.now() < payment.created_at + slowDetailsSeconds
  if (isHeldBack) return errorAnswer(503, 'SERVER_ERROR', ownTexts.slowDetails)
  return json(200, paymentView(isStale(asked) ? stalePayment(payment) : payment))
}

function capture({ context, id, body }: Asked): Answer {
  const payment = paymentById(context, id)
  onlyFields(body, ['amount', 'currency'])
  if (payment.captured) throw new ProviderError(ownTexts.captured)
  if (payment.status !== 'authorized') throw new ProviderError(ownTexts.captureState)
  if (amountOf(body['amount'], Number.MAX_SAFE_INTEGER) !== payment.amount) throw new ProviderError(ownTexts.captureAmount, 'amount')
  return json(200, paymentView(captureByMerchant(context, payment)))
}

function refund({ context, request, id, body, fault }: Asked): Answer {
  const payment = paymentById(context, id)
  if (fault?.kind === 'insufficient_balance') throw new ProviderError(ownTexts.refundBalance)
  const header = request.headers['x-refund-idempotency']
  const key = typeof header === 'string' ? header : null
  return json(200, refundView(refundPayment(context, payment, body, key, courseOf(fault, context.config.refundSeconds))))
}

function courseOf(fault: Asked['fault'], usualSeconds: number): RefundCourse {
  switch (fault?.kind) {
    case 'refund_processed':
      return { to: 'processed', afterSeconds: 0 }
    case 'refund_pending':
      return { to: 'processed', afterSeconds: fault.delay_ms / 1000 }
    case 'refund_fails':
      return { to: 'failed', afterSeconds: fault.delay_ms / 1000 }
    default:
      return { to: 'processed', afterSeconds: usualSeconds }
  }
}

function listRefundsOfPayment({ context, request, id }: Asked): Answer {
  const refunds = context.store.of('refund', paymentById(context, id).id).reverse()
  return json(200, collection(page(request, refunds).map(refundView)))
}

function fetchRefundOfPayment({ context, id, last }: Asked): Answer {
  const one = refundById(context, last)
  if (one.payment_id !== paymentById(context, id).id) throw new ProviderError(providerTexts.unknownId)
  return json(200, refundView(one))
}

function listRefunds({ context, request }: Asked): Answer {
  return json(200, collection(page(request, context.store.newest('refund')).map(refundView)))
}

function fetchRefund({ context, id }: Asked): Answer {
  return json(200, refundView(refundById(context, id)))
}

function editRefund({ context, id, body }: Asked): Answer {
  onlyFields(body, ['notes'])
  const edited: Refund = { ...refundById(context, id), notes: notesOf(body['notes']) }
  commitChanges(context, [['refund', edited]], [])
  return json(200, refundView(edited))
}

function refundById(context: Asked['context'], id: string): Refund {
  return found(context.store.get('refund', id), 'rfnd', id)
}

function fetchOrder(asked: Asked): Answer {
  const { context, id } = asked
  const order = orderById(context, id)
  return json(200, orderView(isStale(asked) && order.link_id === '' ? staleOrder(order) : order))
}

function listOrderPayments({ context, id }: Asked): Answer {
  const order = orderById(context, id)
  const payments: Payment[] = context.store.of('payment', order.link_id || order.id).reverse()
  return json(200, collection(payments.map(paymentView)))
}

function listSettlements({ context, request }: Asked): Answer {
  return json(200, collection(page(request, context.store.newest('settlement')).map(settlementView)))
}

function fetchSettlement({ context, id }: Asked): Answer {
  return json(200, settlementView(found(context.store.get('settlement', id), 'setl', id)))
}

/** The settlement report of a month or day in India; at most 1000 rows at a time. */
function recon({ context, request }: Asked): Answer {
  const required = (name: string, min: number, max: number): number => {
    const value = whole(request, name, Number.NaN)
    if (Number.isNaN(value)) throw new ProviderError(providerTexts.required(name), name)
    if (value < min || value > max) throw new ProviderError(ownTexts.invalid(name), name)
    return value
  }
  const day = request.query.has('day') ? required('day', 1, 31) : null
  const rows = reconRows(context, required('year', 2000, 9999), required('month', 1, 12), day)
  const count = whole(request, 'count', 10)
  if (count < 1) throw new ProviderError(providerTexts.countMin, 'count')
  if (count > 1000) throw new ProviderError(ownTexts.invalid('count'), 'count')
  const skip = whole(request, 'skip', 0)
  return json(200, collection(rows.slice(skip, skip + count)))
}

function listDisputes({ context, request }: Asked): Answer {
  return json(200, collection(page(request, context.store.newest('dispute')).map(disputeView)))
}

function fetchDispute({ context, id }: Asked): Answer {
  return json(200, disputeView(found(context.store.get('dispute', id), 'disp', id)))
}

/** The payment methods of the account. */
function methods(): Answer {
  const on = (names: Readonly<Record<string, string>>): Record<string, boolean> =>
    Object.fromEntries(Object.keys(names).map((name) => [name, true]))
  return json(200, {
    entity: 'methods',
    card: true,
    debit_card: true,
    credit_card: true,
    prepaid_card: true,
    card_networks: { AMEX: 1, DICL: 1, MC: 1, MAES: 0, VISA: 1, JCB: 0, RUPAY: 1, BAJAJ: 0, UNP: 0 },
    amex: true,
    netbanking: banks,
    wallet: on(wallets),
    emi: false,
    upi: true,
    upi_intent: true,
    bank_transfer: true,
    cardless_emi: [],
    paylater: [],
    recurring: [],
  })
}
