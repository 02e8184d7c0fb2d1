import type Razorpay from 'razorpay'
import type * as z from 'zod/mini'
import { monthOf, yearOf, dayOfMonth } from '#domain/calendar.ts'
import type { ListedPayment, PaymentGateway, RefundOutcome } from './payment-gateway.ts'
import { absentOrUnknown, post, formatReason, readRejection, unknownOnError } from './razorpay-client.ts'
import {
  checkId,
  collection,
  isCapturedOrRefunded,
  toListedPayment,
  paymentEntity,
  toProviderRefund,
  refundEntity,
  refundNote,
  settlementEntity,
  readSettlementLine,
  toSettlement,
  tryNote,
} from './razorpay-entities.ts'

/**
 * As many as the provider lists payments and refunds; a page of a settlement report can have more,
 * but its rows have the notes of their payments, and an answer above 1 MB is refused.
 */
const pageSize = 100

/** The calls for payments, refunds and settlements. */
export function createMoneyCalls(
  client: Razorpay,
): Pick<PaymentGateway, 'fetchPayment' | 'paymentsBetween' | 'refundPayment' | 'refundsOf' | 'settlementLinesOf' | 'fetchSettlement'> {
  return {
    fetchPayment: (paymentId) =>
      absentOrUnknown(async () => {
        const payment = paymentEntity.parse(await client.payments.fetch(checkId('pay', paymentId)))
        return isCapturedOrRefunded(payment) ? { kind: 'found', payment: toListedPayment(payment) } : { kind: 'absent' }
      }),

    paymentsBetween: (from, before) =>
      unknownOnError(async () => {
        // The provider's `to` is included.
        const span = { from: Math.floor(from.getTime() / 1_000), to: Math.ceil(before.getTime() / 1_000) - 1 }
        const items = await readAllPages(pageSize, (page) => client.payments.all({ ...span, ...page }))
        return {
          kind: 'found',
          payments: parseReadable(paymentEntity, items).filter(isCapturedOrRefunded).map(toListedPayment) satisfies ListedPayment[],
        }
      }),

    refundPayment: async ({ providerPaymentId, amountPaise, refundId, tryNumber, key }): Promise<RefundOutcome> => {
      try {
        const body = { amount: Number(amountPaise), speed: 'normal', notes: { [refundNote]: refundId, [tryNote]: String(tryNumber) } }
        const answer = await post(client, `/payments/${checkId('pay', providerPaymentId)}/refund`, body, { 'X-Refund-Idempotency': key })
        return { kind: 'accepted', refund: toProviderRefund(refundEntity.parse(answer)) }
      } catch (error) {
        const rejection = readRejection(error)
        const isRefused = rejection.statusCode === 400 && rejection.error !== undefined && !isShortOfBalance(rejection.error.description)
        return { kind: isRefused ? 'refused' : 'unknown', reason: formatReason(rejection) }
      }
    },

    refundsOf: (paymentId) =>
      unknownOnError(async () => {
        const items = await readAllPages(pageSize, (page) => client.payments.fetchMultipleRefund(checkId('pay', paymentId), page))
        return { kind: 'found', refunds: items.map((item) => toProviderRefund(refundEntity.parse(item))) }
      }),

    settlementLinesOf: (day) =>
      unknownOnError(async () => {
        const date = { year: yearOf(day), month: monthOf(day), day: dayOfMonth(day) }
        const items = await readAllPages(pageSize, (page) => client.settlements.reports({ ...date, ...page }))
        return { kind: 'found', lines: items.map(readSettlementLine).filter((line) => line !== null) }
      }),

    fetchSettlement: (settlementId) =>
      unknownOnError(async () => {
        const answer = await client.settlements.fetch(checkId('setl', settlementId))
        return { kind: 'found', settlement: toSettlement(settlementEntity.parse(answer)) }
      }),
  }
}

/**
 * A low balance passes, so it is not a refusal. Nor is 409: a request with the same key is running.
 */
const isShortOfBalance = (description = ''): boolean => /enough balance|insufficient balance/i.test(description)

/** Reads all pages of a list. */
export async function readAllPages(
  size: number,
  fetchPage: (page: { count: number; skip: number }) => PromiseLike<unknown>,
): Promise<unknown[]> {
  const all: unknown[] = []
  for (;;) {
    const { items } = collection.parse(await fetchPage({ count: size, skip: all.length }))
    all.push(...items)
    if (items.length < size) return all
  }
}

/**
 * Skips items with another shape, which are not our payments; the settlement report shows them as
 * unknown.
 */
function parseReadable<Schema extends z.ZodMiniType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const { data, success } = schema.safeParse(item)
    return success ? [data] : []
  })
}
