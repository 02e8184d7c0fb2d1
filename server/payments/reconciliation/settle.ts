import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { providerName } from '#domain/payments.ts'
import type { ListedPayment, Settlement, SettlementLine } from '../../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../../context.ts'
import { postSettlement } from '../../ledger/post-settlement.ts'
import { lockOwnLoan } from '../../loans/own-loan.ts'
import { syncPaymentFromProvider } from '../links/sync-payment.ts'
import { syncRefunds } from '../refunds/sync-refunds.ts'
import type { ReconcileOne } from './one-by-one.ts'
import { findPaymentById, type ProviderPaymentRow } from '../provider-payment-store.ts'
import { findRefundByProviderId, type PaymentKey, type RefundRow } from '../refund-store.ts'
import { addDifference, closeReview, noBorrowerId, type NewReview } from '../review-store.ts'
import { markLinePosted, listOpenLines, storeSettlement, type SettlementLineRow } from './settlement-store.ts'

/**
 * Syncs a payment of a mandate or of a debit. The approval of a mandate is of no loan's ledger: its
 * ₹1 goes back. Null for any other payment. `autopay/` implements it, which depends on this folder.
 */
export type SyncRecurring = (
  context: MoneyContext,
  payment: ListedPayment,
) => Promise<{ kind: 'registration'; borrowerId: string; loanId: string } | { kind: 'debit' } | null>

const cause = { source: 'sweep', actorId: 'system' } as const

/**
 * Stores a settlement with its lines and posts each line to its loan's ledger, which empties
 * `provider_clearing`. A difference is reviewed and never posted. Processing the same settlement
 * again continues with the lines that are not posted.
 *
 * @returns the number of open differences.
 */
export async function storeAndPostSettlement(
  context: MoneyContext,
  settlement: Settlement,
  lines: readonly SettlementLine[],
  reconcileOne: ReconcileOne,
  syncRecurring: SyncRecurring,
): Promise<number> {
  const { database, clock } = context
  const { settlementId } = settlement
  const reviews = findDifferences(settlement, lines)
  let differences = await database.asSystem(async (sql) => {
    await storeSettlement(sql, providerName, settlement, lines, clock.now())
    let open = 0
    for (const review of reviews) open += await addDifference(sql, review, clock.now())
    return open
  })
  const openLines = await database.asSystem((sql) => listOpenLines(sql, providerName, settlementId))
  const paymentIds = new Map(lines.map(({ entityId, paymentId }) => [entityId, paymentId]))
  const settledOn = dayInIndia(settlement.createdAt)
  for (const line of openLines) {
    const post = () => postLine(context, line, paymentIds.get(line.entity_id) ?? null, settledOn, syncRecurring)
    differences += await reconcileOne(`${settlementId}:${line.entity_id}`, post)
  }
  return differences
}

/** Checks that the lines sum to the settlement and that a fee includes its tax (I18). */
function findDifferences({ settlementId, amountPaise }: Settlement, lines: readonly SettlementLine[]): NewReview[] {
  const sum = lines.reduce((total, { creditPaise, debitPaise }) => total + creditPaise - debitPaise, 0n)
  const isShort = sum !== amountPaise
  const detail = { settlement: settlementId, lines_paise: String(sum), paid_out_paise: String(amountPaise) }
  return [
    ...(isShort ? [{ borrowerId: noBorrowerId, kind: 'settlement_amount' as const, about: settlementId, detail }] : []),
    ...lines
      .filter(({ feePaise, taxPaise }) => feePaise < taxPaise)
      .map((line) => lineReview(settlementId, line.entityId, 'its tax is more than its fee')),
  ]
}

const lineReview = (settlementId: string, entityId: string, why: string): NewReview => ({
  borrowerId: noBorrowerId,
  kind: 'settlement_line',
  about: `${settlementId}:${entityId}`,
  detail: { settlement: settlementId, entity: entityId, why },
})

/**
 * A line that is not a known payment or refund is reviewed.
 *
 * @returns the number of open differences.
 * @throws Error if a later attempt can post it.
 */
async function postLine(
  context: MoneyContext,
  line: SettlementLineRow,
  paymentId: string | null,
  date: Day,
  syncRecurring: SyncRecurring,
): Promise<number> {
  const { database, clock } = context
  const money = await findSettledMoney(context, line, paymentId, syncRecurring)
  if ('approvalOf' in money) {
    const { borrowerId: borrower_id, loanId: loan_id } = money.approvalOf
    await database.asSystem((sql) => markLinePosted(sql, line, { borrower_id, loan_id, transaction_id: null }))
    return 0
  }
  return database.asSystem(async (sql) => {
    const now = clock.now()
    if ('fault' in money) {
      const review = lineReview(line.settlement_id, line.entity_id, money.fault)
      return addDifference(sql, { ...review, detail: { ...review.detail, amount_paise: String(line.amount_paise) } }, now)
    }
    const { borrower_id, loan_id } = money.owner
    const own = await lockOwnLoan(sql, borrower_id, loan_id)
    const { type, amountPaise } = money
    const sourceId = `${line.settlement_id}:${line.entity_id}`
    const transactionId = await postSettlement(
      sql,
      own,
      { source: providerName, sourceId, type, amountPaise, feePaise: line.fee_paise, date },
      now,
      'system',
    )
    await markLinePosted(sql, line, { borrower_id, loan_id, transaction_id: transactionId })
    // The days of a gap come in any order: a later one can find the payment unsettled first.
    if (type === 'payment') await closeReview(sql, { borrowerId: borrower_id, kind: 'not_settled', about: line.entity_id }, 'settled', now)
    // A tax that is more than the fee stays a difference of the posted line.
    if (line.fee_paise >= line.tax_paise)
      await closeReview(sql, { borrowerId: noBorrowerId, kind: 'settlement_line', about: sourceId }, 'settled', now)
    return 0
  })
}

/** `approvalOf`: the money of a mandate's approval, which is matched and not posted. */
type SettledLine =
  | { approvalOf: { borrowerId: string; loanId: string } }
  | { owner: PaymentKey; type: 'payment' | 'refund'; amountPaise: Paise }
  | { fault: string }

/** Finds the payment or refund of a line; an unknown one is synced from the provider first. */
async function findSettledMoney(
  context: MoneyContext,
  line: SettlementLineRow,
  paymentId: string | null,
  syncRecurring: SyncRecurring,
): Promise<SettledLine> {
  const { type, entity_id } = line
  if (type !== 'payment' && type !== 'refund') return { fault: `its type is ${type}` }
  const payment = await findOrSyncPayment(context, type === 'payment' ? entity_id : paymentId, syncRecurring)
  if (payment && 'approvalOf' in payment) return payment
  if (!payment) return { fault: 'it belongs to no payment of ours' }
  if (type === 'payment') return checkLineAmounts(payment, type, payment.amount_paise, line)
  const find = () => context.database.asSystem((sql) => findRefundByProviderId(sql, payment, entity_id))
  const isDone = (refund: RefundRow | undefined) => refund?.status === 'processed'
  if (!isDone(await find()) && !(await syncRefunds(context, payment)))
    throw new Error(`Refund ${entity_id} could not be fetched from the provider`)
  const refund = await find()
  // Its money has left: the provider reports it as processed soon.
  if (refund?.status === 'asked' || refund?.status === 'pending')
    throw new Error(`Refund ${entity_id} is settled and not processed yet at the provider`)
  return refund && isDone(refund)
    ? checkLineAmounts(payment, type, refund.amount_paise, line)
    : { fault: 'it belongs to no processed refund' }
}

/**
 * A line is posted only if its credit and debit are what it says: the payment less the fee, or the
 * whole refund. An account with prepaid fees has other lines, which a person looks at.
 */
function checkLineAmounts(owner: PaymentKey, type: 'payment' | 'refund', amountPaise: Paise, line: SettlementLineRow): SettledLine {
  if (amountPaise !== line.amount_paise) return { fault: `our amount is ${amountPaise} paise` }
  const { credit_paise: credit, debit_paise: debit, fee_paise: fee } = line
  const netPaise = type === 'payment' ? amountPaise - fee : -amountPaise
  return credit - debit === netPaise ? { owner, type, amountPaise } : { fault: `its net is ${credit - debit} paise, not ${netPaise}` }
}

async function findOrSyncPayment(
  context: MoneyContext,
  paymentId: string | null,
  syncRecurring: SyncRecurring,
): Promise<ProviderPaymentRow | { approvalOf: { borrowerId: string; loanId: string } } | undefined> {
  if (paymentId === null) return undefined
  const find = () => context.database.asSystem((sql) => findPaymentById(sql, providerName, paymentId))
  const known = await find()
  if (known?.transaction_id) return known
  const outcome = await context.gateway.fetchPayment(paymentId)
  if (outcome.kind === 'unknown') throw new Error(`Payment ${paymentId} could not be fetched from the provider: ${outcome.reason}`)
  if (outcome.kind === 'found') {
    const recurring = await syncRecurring(context, outcome.payment)
    if (recurring?.kind === 'registration') return { approvalOf: recurring }
    if (recurring === null) await syncPaymentFromProvider(context, outcome.payment, cause)
  }
  return find()
}
