import { addDays, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import type { ListedPayment, SettlementLine } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import { issueMissingReceipts } from '../../ledger/issue-receipt.ts'
import { syncPaymentFromProvider } from '../links/sync-payment.ts'
import { findPaymentById, type ProviderPaymentRow } from '../payment-store.ts'
import { reconcileOneByOne, type ReconcileOne } from './one-by-one.ts'
import { addReview, nobody } from '../review-store.ts'
import { takeSettlement } from './settle.ts'
import { finishRun, unsettledPayments, type RunResult } from './settlement-store.ts'

const provider = 'razorpay'

/** A payment counts from when it was begun; the provider asks banks for three days what became of it. */
const lateDays = 4
/** Settlements come within three working days; after a week one is missing. Older ones were told of before. */
const settledWithinDays = 7
const toldDays = 21

/**
 * Compares an India day of the provider with ours: payments that we never heard of are applied, settlements posted, and what does
 * not fit is put on the list. The days before it are looked at again, since money and reports come late. Payments without a receipt get theirs. The
 * same day again changes nothing more. One payment, settlement or line that fails is on the review list; the others go on.
 *
 * @throws Error when the provider did not tell of something; to be tried again.
 */
export async function reconcileDay(context: MoneyContext, day: Day): Promise<RunResult> {
  const { database, clock } = context
  await issueMissingReceipts(context)
  const reconcileOne = await reconcileOneByOne(context)
  const payments = await missedPayments(context, day, reconcileOne)
  const settlements = await takeSettlements(context, day, reconcileOne)
  const unsettled = await reviewUnsettled(context, day)
  const result = {
    paymentsSeen: payments.seen,
    settlementsSeen: settlements.seen,
    differences: payments.differences + settlements.differences + unsettled,
  }
  await database.asSystem((sql) => finishRun(sql, provider, day, result, clock.now()))
  return result
}

const startOf = (day: Day): Date => new Date(startOfDayInIndiaMs(day))

type Seen = { seen: number; differences: number }

async function missedPayments(context: MoneyContext, day: Day, reconcileOne: ReconcileOne): Promise<Seen> {
  const outcome = await context.gateway.paymentsBetween(startOf(addDays(day, -lateDays)), startOf(addDays(day, 1)))
  if (outcome.kind === 'unknown') throw new Error(`The provider did not list its payments: ${outcome.reason}`)
  let differences = 0
  for (const payment of outcome.payments)
    if (!(await reconcileOne(payment.providerPaymentId, () => isOurs(context, payment)))) differences += 1
  return { seen: outcome.payments.length, differences }
}

/** Whether a payment is one of ours, applied by now. What goes back of it is followed. */
async function isOurs(context: MoneyContext, payment: ListedPayment): Promise<boolean> {
  const { database, clock } = context
  const known = await database.asSystem((sql) => findPaymentById(sql, provider, payment.providerPaymentId))
  if (known && isDone(known, payment)) return true
  if (await syncPaymentFromProvider(context, payment, { source: 'sweep', actorId: 'system' })) return true
  const { providerPaymentId, amountPaise, paymentLinkId, paidAt } = payment
  const detail = {
    payment: providerPaymentId,
    amount_paise: String(amountPaise),
    payment_link: paymentLinkId,
    paid_at: paidAt.toISOString(),
  }
  const review = { borrowerId: nobody, kind: 'unknown_payment' as const, about: providerPaymentId, detail }
  await database.asSystem((sql) => addReview(sql, review, clock.now()))
  return false
}

const isDone = (known: ProviderPaymentRow, { refundedPaise, captured }: ListedPayment): boolean =>
  known.transaction_id !== null && known.refunded_paise >= refundedPaise && known.captured === captured

async function takeSettlements(context: MoneyContext, day: Day, reconcileOne: ReconcileOne): Promise<Seen> {
  const lines: SettlementLine[] = []
  for (let back = lateDays - 1; back >= 0; back -= 1) {
    const outcome = await context.gateway.settlementLinesOf(addDays(day, -back))
    if (outcome.kind === 'unknown') throw new Error(`The provider did not tell what it settled: ${outcome.reason}`)
    lines.push(...outcome.lines)
  }
  const bySettlement = Map.groupBy(lines, ({ settlementId }) => settlementId)
  let differences = 0
  for (const [settlementId, own] of bySettlement) {
    const found = await reconcileOne(settlementId, async () => {
      const outcome = await context.gateway.fetchSettlement(settlementId)
      if (outcome.kind === 'unknown') throw new Error(`The provider did not tell of settlement ${settlementId}: ${outcome.reason}`)
      return takeSettlement(context, outcome.settlement, own, reconcileOne)
    })
    differences += found ?? 1
  }
  return { seen: bySettlement.size, differences }
}

async function reviewUnsettled({ database, clock }: MoneyContext, day: Day): Promise<number> {
  return database.asSystem(async (sql) => {
    const late = await unsettledPayments(sql, startOf(addDays(day, -toldDays)), startOf(addDays(day, -settledWithinDays)))
    for (const payment of late)
      await addReview(
        sql,
        {
          borrowerId: payment.borrower_id,
          loanId: payment.loan_id,
          paymentIntentId: payment.payment_intent_id,
          kind: 'not_settled',
          about: payment.provider_payment_id,
          detail: {
            payment: payment.provider_payment_id,
            amount_paise: String(payment.amount_paise),
            paid_at: payment.paid_at.toISOString(),
          },
        },
        clock.now(),
      )
    return late.length
  })
}
