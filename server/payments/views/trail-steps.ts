import type { TrailStep } from '#contract/payments.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import { sumPaise } from '#domain/money.ts'
import { isMoneyAccount } from '../../ledger/accounts.ts'
import { netLines, type Line } from '../../ledger/lines.ts'
import { postedParts } from '../../ledger/posted-parts.ts'
import type { PostedTransaction } from '../../ledger/plan.ts'
import type { ReceiptRow } from '../../ledger/receipt-store.ts'
import type { LinkRow, ProviderPaymentRow } from '../payment-store.ts'
import { partOnWire } from '../quote.ts'
import type { RefundRow } from '../refund-store.ts'
import type { LinkStep, Posting } from './trail-store.ts'

/** All stored data of a link. */
export type LinkFacts = {
  link: LinkRow
  history: readonly LinkStep[]
  payments: readonly ProviderPaymentRow[]
  /** By transaction id, as `receipts`. */
  postings: ReadonlyMap<string, Posting>
  receipts: ReadonlyMap<string, ReceiptRow>
  refunds: readonly RefundRow[]
  reviews: readonly Date[]
  loan: { facts: LoanFacts; state: LoanState }
}

/** The steps of a link and its payments, by time. */
export function buildTrail(facts: LinkFacts): TrailStep[] {
  const { link, history } = facts
  const ready = history.find(({ to }) => to !== 'creating' && to !== 'refused')
  const first = inOrder(0, [
    { step: 'asked', at: link.created_at, amount: link.amount_paise },
    ...(ready ? [{ step: 'link_ready', at: ready.at } as const] : []),
  ])
  const from = first.at(-1)?.order ?? 0
  const steps = [
    ...first,
    ...facts.payments.flatMap((payment) => inOrder(from, paymentSteps(facts, payment))),
    ...inOrder(
      from,
      history.flatMap(({ at, to }): TrailStep[] => (to === 'expired' || to === 'cancelled' ? [{ step: to, at }] : [])),
    ),
    ...facts.reviews.flatMap((at) => inOrder(from, [{ step: 'in_review', at }])),
    ...facts.refunds.flatMap((refund) => inOrder(from, refundSteps(refund))),
  ]
  return steps.toSorted((left, right) => left.order - right.order).map(({ step }) => step)
}

/**
 * Orders dependent steps, none before its cause: the provider's clock differs and has whole
 * seconds.
 */
function inOrder(notBefore: number, steps: readonly TrailStep[]): { step: TrailStep; order: number }[] {
  let order = notBefore
  return steps.map((step) => {
    order = Math.max(order, step.at.getTime())
    return { step, order }
  })
}

function paymentSteps(facts: LinkFacts, payment: ProviderPaymentRow): TrailStep[] {
  const about = { payment_id: payment.provider_payment_id, amount: payment.amount_paise }
  const { method, bank_reference } = payment
  return [
    { step: 'paid', at: payment.paid_at, ...about, ...(method !== null && { method }), ...(bank_reference !== null && { bank_reference }) },
    { step: 'received', at: payment.seen_at, ...about },
    ...postedSteps(facts, payment, about),
  ]
}

type About = { payment_id: string; amount: ProviderPaymentRow['amount_paise'] }

function postedSteps({ postings, receipts, loan }: LinkFacts, { transaction_id: id }: ProviderPaymentRow, about: About): TrailStep[] {
  const posting = id === null ? undefined : postings.get(id)
  if (!posting) return []
  const { root, follow } = posting
  const receipt = receipts.get(root.transactionId)
  const allocation = (transactions: readonly PostedTransaction[]) => postedParts(loan, root, allocated(transactions)).map(partOnWire)
  const moved = (until: PostedTransaction) => [root, ...follow.slice(0, follow.indexOf(until) + 1)]
  return [
    { step: 'applied', at: root.postedAt, ...about, allocation: allocation([root]) },
    ...(receipt ? [{ step: 'receipt', at: root.postedAt, ...about, receipt_number: receipt.receipt_number } as const] : []),
    ...resultSteps(loan.state, root, about.payment_id),
    ...follow.map((transaction): TrailStep =>
      transaction.reverses === null
        ? { step: 'reallocated', at: transaction.postedAt, ...about, allocation: allocation(moved(transaction)) }
        : { step: 'reversed', at: transaction.postedAt, ...about },
    ),
  ]
}

/** The waived late charge and the short foreclosure of a posting (decisions 54 and 55). */
function resultSteps(state: LoanState, { transactionId, postedAt: at }: PostedTransaction, payment_id: string): TrailStep[] {
  const short = state.shortForeclosures.find(({ paymentId }) => paymentId === transactionId)
  const waived = state.adjustments.filter(({ reason, paymentId }) => reason === 'late_charge_within_quote' && paymentId === transactionId)
  const waivedPaise = sumPaise(waived.flatMap(({ lines }) => lines.map(({ amountPaise }) => amountPaise)))
  return [
    ...(waivedPaise > 0n ? [{ step: 'late_charge_waived', at, payment_id, amount: waivedPaise } as const] : []),
    ...(short ? [{ step: 'foreclosure_short', at, payment_id, amount: short.shortPaise } as const] : []),
  ]
}

/** The allocated lines of transactions, without the money account. */
const allocated = (transactions: readonly PostedTransaction[]): Line[] =>
  netLines(transactions.flatMap(({ lines }) => lines)).filter(({ account }) => !isMoneyAccount(account))

function refundSteps({ provider_payment_id, amount_paise, status, asked_at, processed_at, bank_reference }: RefundRow): TrailStep[] {
  const about = { payment_id: provider_payment_id, amount: amount_paise }
  return [
    { step: 'refund_asked', at: asked_at, ...about },
    // The time of the refusal is not stored.
    ...(status === 'failed' ? [{ step: 'refund_failed', at: asked_at, ...about } as const] : []),
    ...(processed_at === null
      ? []
      : [{ step: 'refunded', at: processed_at, ...about, ...(bank_reference !== null && { bank_reference }) } as const]),
  ]
}
