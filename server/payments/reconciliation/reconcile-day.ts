import { addDays, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { providerName } from '#domain/payments.ts'
import type { ListedPayment, SettlementLine } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { syncPaymentFromProvider } from '../links/sync-payment.ts'
import { findPaymentById, type ProviderPaymentRow } from '../provider-payment-store.ts'
import { listPaymentRefunds } from '../refund-store.ts'
import { reconcileOneByOne, type ReconcileOne } from './one-by-one.ts'
import { addDifference, noBorrowerId, reviewOwner } from '../review-store.ts'
import { storeAndPostSettlement, type SyncRecurring } from './settle.ts'
import { finishRun, listUnsettledPayments, type RunResult } from './settlement-store.ts'

/** The provider lists a payment under its start; the capture can follow up to three days later. */
const lateDays = 4
/** Settlements come within three working days; after a week a missing one is reviewed. */
const settledWithinDays = 7
/** The age of the oldest payments that are checked for a missing settlement. */
const unsettledDaysMax = 21

/**
 * Reconciles an India day with the provider: posts missed payments and settlements, and adds
 * reviews for differences. The days before are included, because payments and reports come late.
 * Running the same day again changes nothing. If one payment, settlement or line fails, it is
 * reviewed and the others continue.
 *
 * @param syncRecurring syncs the payments of mandates and their debits.
 * @param onProgress called before every payment; the settlements are the last step.
 * @throws Error if the provider does not answer; the day must be tried again.
 */
export async function reconcileDay(
  context: MoneyContext,
  day: Day,
  syncRecurring: SyncRecurring,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<RunResult> {
  const { database, clock } = context
  const reconcileOne = await reconcileOneByOne(context)
  const payments = await syncMissedPayments(context, day, reconcileOne, syncRecurring, onProgress)
  const settlements = await postSettlements(context, day, reconcileOne, syncRecurring)
  const unsettled = await reviewUnsettled(context, day)
  const result = {
    paymentsSeen: payments.seen,
    settlementsSeen: settlements.seen,
    differences: payments.differences + settlements.differences + unsettled,
  }
  await database.asSystem((sql) => finishRun(sql, providerName, day, result, clock.now()))
  return result
}

const startOf = (day: Day): Date => new Date(startOfDayInIndiaMs(day))

type Comparison = { seen: number; differences: number }

async function syncMissedPayments(
  context: MoneyContext,
  day: Day,
  reconcileOne: ReconcileOne,
  syncRecurring: SyncRecurring,
  onProgress: (done: number, all: number) => void,
): Promise<Comparison> {
  const steps = lateDays + 2
  const all = { seen: 0, differences: 0 }
  // One day after the other: only the payments of one are in memory.
  for (let back = lateDays; back >= 0; back -= 1) {
    const outcome = await context.gateway.paymentsBetween(startOf(addDays(day, -back)), startOf(addDays(day, 1 - back)))
    if (outcome.kind === 'unknown') throw new Error(`Payments could not be listed from the provider: ${outcome.reason}`)
    for (const [done, payment] of outcome.payments.entries()) {
      onProgress(lateDays - back + done / outcome.payments.length, steps)
      all.differences += await reconcileOne(payment.providerPaymentId, () => syncIfOurs(context, payment, syncRecurring))
    }
    all.seen += outcome.payments.length
  }
  onProgress(lateDays + 1, steps)
  return all
}

/**
 * Syncs a listed payment with its refunds, or adds a review if the payment has no link of ours.
 *
 * @returns the number of open differences.
 */
async function syncIfOurs(context: MoneyContext, payment: ListedPayment, syncRecurring: SyncRecurring): Promise<number> {
  const { database, clock } = context
  const known = await database.asSystem((sql) => findPaymentById(sql, providerName, payment.providerPaymentId))
  if (known && isUpToDate(known, payment) && !(await database.asSystem((sql) => hasFailedRefund(sql, known)))) return 0
  if ((await syncRecurring(context, payment)) !== null) return 0
  if (await syncPaymentFromProvider(context, payment, { source: 'sweep', actorId: 'system' })) return 0
  const { providerPaymentId, amountPaise, paymentLinkId, paidAt } = payment
  const detail = {
    payment: providerPaymentId,
    amount_paise: String(amountPaise),
    payment_link: paymentLinkId,
    paid_at: paidAt.toISOString(),
  }
  const review = { borrowerId: noBorrowerId, kind: 'unknown_payment' as const, about: providerPaymentId, detail }
  return database.asSystem((sql) => addDifference(sql, review, clock.now()))
}

/** The lender may have made a failed refund again. */
const hasFailedRefund = async (sql: Sql, payment: ProviderPaymentRow): Promise<boolean> =>
  payment.refunded_paise > 0n && (await listPaymentRefunds(sql, payment)).some(({ status }) => status === 'failed')

const isUpToDate = (known: ProviderPaymentRow, { refundedPaise, captured }: ListedPayment): boolean =>
  known.transaction_id !== null && known.refunded_paise >= refundedPaise && known.captured === captured

async function postSettlements(
  context: MoneyContext,
  day: Day,
  reconcileOne: ReconcileOne,
  syncRecurring: SyncRecurring,
): Promise<Comparison> {
  const lines: SettlementLine[] = []
  for (let back = lateDays - 1; back >= 0; back -= 1) {
    const outcome = await context.gateway.settlementLinesOf(addDays(day, -back))
    if (outcome.kind === 'unknown') throw new Error(`Settlements could not be listed from the provider: ${outcome.reason}`)
    lines.push(...outcome.lines)
  }
  const bySettlement = Map.groupBy(lines, ({ settlementId }) => settlementId)
  let differences = 0
  for (const [settlementId, settlementLines] of bySettlement) {
    differences += await reconcileOne(settlementId, async () => {
      const outcome = await context.gateway.fetchSettlement(settlementId)
      if (outcome.kind === 'unknown')
        throw new Error(`Settlement ${settlementId} could not be fetched from the provider: ${outcome.reason}`)
      return storeAndPostSettlement(context, outcome.settlement, settlementLines, reconcileOne, syncRecurring)
    })
  }
  return { seen: bySettlement.size, differences }
}

async function reviewUnsettled({ database, clock }: MoneyContext, day: Day): Promise<number> {
  return database.asSystem(async (sql) => {
    const late = await listUnsettledPayments(sql, startOf(addDays(day, -unsettledDaysMax)), startOf(addDays(day, -settledWithinDays)))
    let differences = 0
    for (const payment of late)
      differences += await addDifference(
        sql,
        {
          ...reviewOwner(payment),
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
    return differences
  })
}
