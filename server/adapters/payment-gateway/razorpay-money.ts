import type Razorpay from 'razorpay'
import type * as z from 'zod/mini'
import { monthOf, yearOf, dayOfMonth } from '#domain/calendar.ts'
import type { ListedPayment, PaymentGateway, RefundOutcome } from './payment-gateway.ts'
import { isAbsent, post, reasonOf, rejectionOf } from './razorpay-client.ts'
import {
  collection,
  isTaken,
  listedPaymentOf,
  paymentEntity,
  providerRefundOf,
  refundEntity,
  refundNote,
  settlementEntity,
  settlementLineOf,
  settlementOf,
  settlementRow,
  tryNote,
} from './razorpay-entities.ts'

/** The most the provider tells at once: of payments and refunds, and of a settlement report. */
const pageSize = 100
const reportPageSize = 500

/** What goes beyond links: payments by themselves, refunds, settlements. */
export function moneyCalls(
  client: Razorpay,
): Pick<PaymentGateway, 'fetchPayment' | 'paymentsBetween' | 'refundPayment' | 'refundsOf' | 'settlementLinesOf' | 'fetchSettlement'> {
  return {
    fetchPayment: async (paymentId) => {
      try {
        const payment = paymentEntity.parse(await client.payments.fetch(safeId('pay', paymentId)))
        return isTaken(payment) ? { kind: 'found', payment: listedPaymentOf(payment) } : { kind: 'absent' }
      } catch (error) {
        const rejection = rejectionOf(error)
        return isAbsent(rejection) ? { kind: 'absent' } : { kind: 'unknown', reason: reasonOf(rejection) }
      }
    },

    paymentsBetween: (from, to) =>
      orUnknown(async () => {
        const span = { from: Math.floor(from.getTime() / 1_000), to: Math.floor(to.getTime() / 1_000) }
        const items = await everyPage(pageSize, (page) => client.payments.all({ ...span, ...page }))
        return { kind: 'found', payments: readable(paymentEntity, items).filter(isTaken).map(listedPaymentOf) satisfies ListedPayment[] }
      }),

    refundPayment: async ({ providerPaymentId, amountPaise, refundId, tryNumber, key }): Promise<RefundOutcome> => {
      try {
        const body = { amount: Number(amountPaise), speed: 'normal', notes: { [refundNote]: refundId, [tryNote]: String(tryNumber) } }
        const answer = await post(client, `/payments/${safeId('pay', providerPaymentId)}/refund`, body, { 'X-Refund-Idempotency': key })
        return { kind: 'accepted', refund: providerRefundOf(refundEntity.parse(answer)) }
      } catch (error) {
        const rejection = rejectionOf(error)
        const isNo = rejection.statusCode === 400 && rejection.error !== undefined && !isShortOfBalance(rejection.error.description)
        return { kind: isNo ? 'refused' : 'unknown', reason: reasonOf(rejection) }
      }
    },

    refundsOf: (paymentId) =>
      orUnknown(async () => {
        const items = await everyPage(pageSize, (page) => client.payments.fetchMultipleRefund(safeId('pay', paymentId), page))
        return { kind: 'found', refunds: items.map((item) => providerRefundOf(refundEntity.parse(item))) }
      }),

    settlementLinesOf: (day) =>
      orUnknown(async () => {
        const date = { year: yearOf(day), month: monthOf(day), day: dayOfMonth(day) }
        const items = await everyPage(reportPageSize, (page) => client.settlements.reports({ ...date, ...page }))
        return { kind: 'found', lines: items.map((item) => settlementLineOf(settlementRow.parse(item))).filter((line) => line !== null) }
      }),

    fetchSettlement: (settlementId) =>
      orUnknown(async () => {
        const answer = await client.settlements.fetch(safeId('setl', settlementId))
        return { kind: 'found', settlement: settlementOf(settlementEntity.parse(answer)) }
      }),
  }
}

/** The account lacks the money just now, which passes; so it is no refusal. Nor is 409, as one of the same key is under way. */
const isShortOfBalance = (description = ''): boolean => /enough balance|insufficient balance/i.test(description)

async function orUnknown<Found extends { kind: 'found' }>(
  work: () => Promise<Found>,
): Promise<Found | { kind: 'unknown'; reason: string }> {
  try {
    return await work()
  } catch (error) {
    return { kind: 'unknown', reason: reasonOf(rejectionOf(error)) }
  }
}

/** All items of a list that comes page by page. */
async function everyPage(size: number, ask: (page: { count: number; skip: number }) => PromiseLike<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for (;;) {
    const { items } = collection.parse(await ask({ count: size, skip: all.length }))
    all.push(...items)
    if (items.length < size) return all
  }
}

/** What has another shape than a payment of ours is none; the report of settlements shows it as unknown. */
function readable<Schema extends z.ZodMiniType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const { data, success } = schema.safeParse(item)
    return success ? [data] : []
  })
}

/** The SDK puts an id into the path as it is. */
function safeId(prefix: 'pay' | 'setl', id: string): string {
  if (!new RegExp(`^${prefix}_[A-Za-z0-9]{14}$`).test(id)) throw new Error(`Not a ${prefix} id: ${id}`)
  return id
}
