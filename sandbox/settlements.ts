import type { Adjustment, Change, Payment, ReconRow, Refund, Settlement } from './entities.ts'
import { describePayment } from './views.ts'
import { commitChanges, type SandboxContext } from './context.ts'

/** How a settlement differs from the correct one. */
type SettleRequest = {
  /** Ids of payments and refunds that a later settlement takes. */
  readonly leaveOut: readonly string[]
  /** Paise by which the bank transfer is less than the sum of its rows. */
  readonly shortBy: number
  /** An added adjustment in paise; negative takes from the merchant. */
  readonly adjustment: number
  readonly adjustmentReason: string
}

/** Thrown when there is nothing to pay out. */
export class NothingToSettle extends Error {}

/** Pays out captures less refunds, adjustments and fees since the last settlement. */
export function settle(context: SandboxContext, request: SettleRequest): Settlement {
  const { store, chance, clock } = context
  const isIn = ({ id, settlement_id }: { readonly id: string; readonly settlement_id: string | null }): boolean =>
    settlement_id === null && !request.leaveOut.includes(id)
  const payments = store.all('payment').filter((payment) => payment.captured && payment.amount > 0 && isIn(payment))
  const refunds = store.all('refund').filter((refund) => refund.status === 'processed' && refund.from_balance && isIn(refund))
  const adjustments = store.all('adjustment').filter(isIn)
  if (request.adjustment !== 0) adjustments.push(newAdjustment(context, request.adjustment, request.adjustmentReason))

  const now = clock.now()
  const id = chance.id('setl')
  const head = { settlement_id: id, settled_at: now, settlement_utr: `${now}${chance.text(6).toLowerCase()}` }
  const rows = [
    ...payments.map((payment) => paymentRow(context, payment, head)),
    ...refunds.map((refund) => refundRow(context, refund, head)),
    ...adjustments.map((adjustment) => adjustmentRow(adjustment, head)),
  ]
  const amount = sum(rows, 'credit') - sum(rows, 'debit') - request.shortBy
  // The provider carries a negative balance over to the next settlement.
  if (rows.length === 0 || amount <= 0) throw new NothingToSettle('there is nothing to settle')
  const settlement: Settlement = {
    id,
    amount,
    status: 'processed',
    fees: sum(rows, 'fee'),
    tax: sum(rows, 'tax'),
    utr: head.settlement_utr,
    created_at: now,
    rows,
  }
  const changes: Change[] = [
    ['settlement', settlement],
    ...payments.map((payment): Change => ['payment', { ...payment, settlement_id: id }]),
    ...refunds.map((refund): Change => ['refund', { ...refund, settlement_id: id }]),
    ...adjustments.map((adjustment): Change => ['adjustment', { ...adjustment, settlement_id: id }]),
  ]
  commitChanges(context, changes, [{ event: 'settlement.processed', settlement }])
  return settlement
}

export function newAdjustment(context: SandboxContext, amount: number, description: string, disputeId: string | null = null): Adjustment {
  const { chance, clock } = context
  return { id: chance.id('adj'), amount, description, dispute_id: disputeId, created_at: clock.now(), settlement_id: null }
}

/** The rows of all settlements of an India month, or of one day of it. */
export function reconRows(context: SandboxContext, year: number, month: number, day: number | null): ReconRow[] {
  return context.store
    .all('settlement')
    .filter(({ created_at }) => {
      const india = new Date((created_at + indiaOffsetSeconds) * 1000)
      const isMonth = india.getUTCFullYear() === year && india.getUTCMonth() + 1 === month
      return isMonth && (day === null || india.getUTCDate() === day)
    })
    .flatMap(({ rows }) => rows)
}

const indiaOffsetSeconds = 5.5 * 60 * 60

type Head = { readonly settlement_id: string; readonly settled_at: number; readonly settlement_utr: string }

function paymentRow(context: SandboxContext, payment: Payment, head: Head): ReconRow {
  const [fee, tax] = [payment.fee ?? 0, payment.tax ?? 0]
  const credit = payment.amount - fee
  return { ...row(payment.id, 'payment', head, payment), ...ofPayment(context, payment), credit, amount: payment.amount, fee, tax }
}

function refundRow(context: SandboxContext, refund: Refund, head: Head): ReconRow {
  const payment = context.store.get('payment', refund.payment_id)
  const about = payment ? ofPayment(context, payment) : {}
  return {
    ...row(refund.id, 'refund', head, refund),
    ...about,
    debit: refund.amount,
    amount: refund.amount,
    payment_id: refund.payment_id,
    description: null,
    notes: notesText(refund.notes),
  }
}

function adjustmentRow(adjustment: Adjustment, head: Head): ReconRow {
  const { id, amount, description, dispute_id } = adjustment
  const side = amount < 0 ? { debit: -amount } : { credit: amount }
  return { ...row(id, 'adjustment', head, adjustment), ...side, amount: Math.abs(amount), description, dispute_id }
}

function row(id: string, type: string, head: Head, { created_at }: { readonly created_at: number }): ReconRow {
  return {
    entity_id: id,
    type,
    debit: 0,
    credit: 0,
    amount: 0,
    currency: 'INR',
    fee: 0,
    tax: 0,
    on_hold: false,
    settled: true,
    created_at,
    settled_at: head.settled_at,
    settlement_id: head.settlement_id,
    posted_at: null,
    credit_type: 'default',
    description: null,
    notes: null,
    payment_id: null,
    settlement_utr: head.settlement_utr,
    order_id: null,
    order_receipt: null,
    method: null,
    card_network: null,
    card_issuer: null,
    card_type: null,
    dispute_id: null,
  }
}

function ofPayment(context: SandboxContext, payment: Payment): ReconRow {
  const text = (field: string): string | null => {
    const value = payment.card?.[field]
    return typeof value === 'string' ? value : null
  }
  return {
    description: describePayment(payment),
    notes: notesText(payment.notes),
    order_id: payment.order_id,
    order_receipt: context.store.get('order', payment.order_id)?.receipt || null,
    method: payment.method,
    card_network: text('network'),
    card_issuer: text('issuer'),
    card_type: text('type'),
  }
}

/** In this report only, notes are a JSON text, as in the published sample. */
function notesText(notes: Payment['notes']): string | null {
  return notes === null ? null : JSON.stringify(notes)
}

function sum(rows: readonly ReconRow[], field: string): number {
  return rows.reduce((total, one) => total + Number(one[field] ?? 0), 0)
}
