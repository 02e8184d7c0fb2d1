import type { TrailStep } from '#contract/payments.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import { quoteOutcome } from '#domain/payment-parts.ts'
import { postedParts } from '../../ledger/posted-parts.ts'
import { netAllocatedLines, type PostedTransaction } from '../../ledger/plan.ts'
import type { ReceiptRow } from '../../ledger/receipt-store.ts'
import { isTakenByBank } from '../../loans/refund-facts-store.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'
import type { ProviderPaymentRow } from '../provider-payment-store.ts'
import { partOnWire } from '../quote.ts'
import type { RefundRow } from '../refund-store.ts'
import type { LinkStep, Posting } from './trail-store.ts'

/** All stored data of received payments. */
type MoneyRecords = {
  payments: readonly ProviderPaymentRow[]
  /** The key is the transaction id, also in `receipts`. */
  postings: ReadonlyMap<string, Posting>
  receipts: ReadonlyMap<string, ReceiptRow>
  refunds: readonly RefundRow[]
  loan: { facts: LoanFacts; state: LoanState }
}

/** All stored data of a link. */
type LinkRecords = MoneyRecords & { link: LinkRow; history: readonly LinkStep[]; reviews: readonly Date[] }

/** Builds the steps of a link and its payments, ordered by time. */
export function buildTrail(records: LinkRecords): TrailStep[] {
  const { link, history } = records
  const ready = history.find(({ to }) => to !== 'creating' && to !== 'refused')
  const firstSteps = addSortTimes(0, [
    { step: 'asked', at: link.created_at, amount: link.amount_paise },
    ...(ready ? [{ step: 'link_ready', at: ready.at } as const] : []),
  ])
  const notBefore = firstSteps.at(-1)?.order ?? 0
  const steps = [
    ...firstSteps,
    ...records.payments.flatMap((payment) => addSortTimes(notBefore, buildPaymentSteps(records, payment))),
    ...addSortTimes(
      notBefore,
      history.flatMap(({ at, to }): TrailStep[] => (to === 'expired' || to === 'cancelled' ? [{ step: to, at }] : [])),
    ),
    ...records.reviews.flatMap((at) => addSortTimes(notBefore, [{ step: 'in_review', at }])),
    ...records.refunds.flatMap((refund) => addSortTimes(notBefore, buildRefundSteps(refund))),
  ]
  return steps.toSorted((left, right) => left.order - right.order).map(({ step }) => step)
}

/** Builds the steps of payments and their refunds, each payment's in their order. */
export const buildMoneySteps = (records: MoneyRecords): TrailStep[] => [
  ...records.payments.flatMap((payment) => buildPaymentSteps(records, payment)),
  ...records.refunds.flatMap(buildRefundSteps),
]

/**
 * Gives each step a sort time that is not before the previous step's. The provider's clock differs
 * from ours and has whole seconds, so a step's own time may be before that of its cause.
 */
function addSortTimes(notBefore: number, steps: readonly TrailStep[]): { step: TrailStep; order: number }[] {
  let order = notBefore
  return steps.map((step) => {
    order = Math.max(order, step.at.getTime())
    return { step, order }
  })
}

function buildPaymentSteps(records: MoneyRecords, payment: ProviderPaymentRow): TrailStep[] {
  const paymentFields = { payment_id: payment.provider_payment_id, amount: payment.amount_paise }
  const { method, bank_reference } = payment
  return [
    {
      step: 'paid',
      at: payment.paid_at,
      ...paymentFields,
      ...(method !== null && { method }),
      ...(bank_reference !== null && { bank_reference }),
    },
    { step: 'received', at: payment.seen_at, ...paymentFields },
    ...buildPostedSteps(records, payment, paymentFields),
  ]
}

type PaymentFields = { payment_id: string; amount: ProviderPaymentRow['amount_paise'] }

function buildPostedSteps(
  { postings, receipts, loan }: MoneyRecords,
  { transaction_id: id }: ProviderPaymentRow,
  paymentFields: PaymentFields,
): TrailStep[] {
  const posting = id === null ? undefined : postings.get(id)
  if (!posting) return []
  const { root, follow } = posting
  const receipt = receipts.get(root.transactionId)
  const buildAllocation = (transactions: readonly PostedTransaction[]) =>
    postedParts(loan, root, netAllocatedLines(transactions)).map(partOnWire)
  const transactionsUntil = (until: PostedTransaction) => [root, ...follow.slice(0, follow.indexOf(until) + 1)]
  return [
    { step: 'applied', at: root.postedAt, ...paymentFields, allocation: buildAllocation([root]) },
    ...(receipt ? [{ step: 'receipt', at: root.postedAt, ...paymentFields, receipt_number: receipt.receipt_number } as const] : []),
    ...buildQuoteResultSteps(loan.state, root, paymentFields.payment_id),
    ...follow.map((transaction): TrailStep =>
      transaction.reverses === null
        ? { step: 'reallocated', at: transaction.postedAt, ...paymentFields, allocation: buildAllocation(transactionsUntil(transaction)) }
        : { step: 'reversed', at: transaction.postedAt, ...paymentFields },
    ),
  ]
}

/** The steps of a waived late charge and of a short foreclosure (decisions 54 and 55). */
function buildQuoteResultSteps(state: LoanState, { transactionId, postedAt: at }: PostedTransaction, payment_id: string): TrailStep[] {
  const { shortPaise, waivedPaise } = quoteOutcome(state, transactionId)
  return [
    ...(waivedPaise > 0n ? [{ step: 'late_charge_waived', at, payment_id, amount: waivedPaise } as const] : []),
    ...(shortPaise === null ? [] : [{ step: 'foreclosure_short', at, payment_id, amount: shortPaise } as const]),
  ]
}

function buildRefundSteps(refund: RefundRow): TrailStep[] {
  const { provider_payment_id, amount_paise, status, asked_at, processed_at, bank_reference } = refund
  const paymentFields = { payment_id: provider_payment_id, amount: amount_paise }
  if (isTakenByBank(refund)) return [{ step: 'reversed', at: processed_at ?? asked_at, ...paymentFields }]
  return [
    { step: 'refund_asked', at: asked_at, ...paymentFields },
    // The time of the refusal is not stored.
    ...(status === 'failed' ? [{ step: 'refund_failed', at: asked_at, ...paymentFields } as const] : []),
    ...(processed_at === null
      ? []
      : [{ step: 'refunded', at: processed_at, ...paymentFields, ...(bank_reference !== null && { bank_reference }) } as const]),
  ]
}
