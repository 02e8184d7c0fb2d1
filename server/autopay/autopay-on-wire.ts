import type { Collection, CollectionStep, Mandate } from '#contract/autopay.ts'
import type { AutopayRules, DebitPart } from '#domain/autopay.ts'
import { changeableUntilMs, plannedPresentAtMs, type Holidays } from '#domain/autopay-times.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { chargeTypeOf, chargeTypesOf } from '#domain/payment-parts.ts'
import { decodeDebitParts } from '../loans/facts-store.ts'
import type { CollectionRow } from './collection-store.ts'
import { expectDebit } from './decide-debit.ts'
import { findRetryDays } from './find-retry-days.ts'
import { mandateCap, type MandateRow } from './mandate-store.ts'

/** A mandate in the API's form. Its page is shown while it can be approved. */
export function mandateOnWire(mandate: MandateRow, lan: string, rules: AutopayRules): Mandate {
  const isOpen = mandate.status === 'issued'
  return {
    id: mandate.mandate_id,
    reference: mandate.reference,
    lan,
    method: mandate.method,
    auth_type: mandate.auth_type,
    status: mandate.status,
    reason: mandate.end_reason,
    paused_by: mandate.status !== 'paused' ? null : mandate.app_paused_at !== null ? 'app' : 'portal',
    max_amount: mandate.max_amount_paise,
    debit_limit: mandateCap(mandate, rules),
    account_hint: mandate.account_hint,
    consent_version: mandate.consent_version,
    created_at: mandate.created_at,
    active_at: mandate.active_at,
    ended_at: mandate.ended_at,
    redirect_url: isOpen ? mandate.redirect_url : null,
    expires_at: isOpen ? mandate.expires_at : null,
  }
}

/** What a collection's form is computed from, besides its row. */
export type CollectionSurroundings = {
  lan: string
  facts: LoanFacts
  rules: AutopayRules
  holidays: Holidays
  now: Date
  mandates: readonly MandateRow[]
  /** All collections of the loan. */
  collections: readonly CollectionRow[]
}

/** The steps of a collection's money and the status of its refund, where they are read. */
type CollectionMoney = { steps: readonly CollectionStep[]; refundStatus: Collection['refund_status'] }
const noMoney: CollectionMoney = { steps: [], refundStatus: null }

/** A collection in the API's form. Of a planned one the amount is what would be debited now. */
export function collectionOnWire(row: CollectionRow, around: CollectionSurroundings, money: CollectionMoney = noMoney): Collection {
  const { amountPaise, parts } = expectedDebit(row, around) ?? storedDebit(row)
  const chargeTypes = chargeTypesOf(around.facts, loanStateDuring(around.facts, dayInIndia(around.now)))
  return {
    id: row.collection_id,
    reference: row.reference,
    lan: around.lan,
    mandate_id: row.mandate_id,
    due_date: row.due_on,
    amount: amountPaise,
    attempt: row.attempt,
    status: row.status,
    reason: row.reason,
    failure_class: row.failure_class,
    debit_on: row.status === 'planned' ? dayInIndia(presentTimeOf(row, mandateOf(row, around), around.now)) : row.debit_on,
    announced_at: row.announced_at,
    delivered_at: row.delivered_at,
    presented_at: row.presented_at,
    expected_by: row.status === 'presented' && row.expected_by !== null && row.expected_by > around.now ? row.expected_by : null,
    skip_until: skipUntil(row, around),
    retry: findRetryDays(row, around),
    parts: parts.map((part) => ({
      amount: part.amountPaise,
      ...(part.kind === 'instalment' ? { due_date: part.dueDate } : { charge_type: chargeTypeOf(chargeTypes, part.chargeId) ?? 'CHARGE' }),
    })),
    payment_id: row.provider_payment_id,
    refund_status: money.refundStatus,
    steps: orderSteps(row, isNotifiedByBank(row, around), money.steps),
  }
}

const storedDebit = (row: CollectionRow) => ({ amountPaise: row.amount_paise, parts: decodeDebitParts(row.parts) as readonly DebitPart[] })

/**
 * What a collection debits; of a planned one, what would be debited as things are, or what the cap
 * is too low for. Null if nothing would be: it is paid already.
 */
export function expectedDebit(row: CollectionRow, around: CollectionSurroundings) {
  const { facts, rules, now } = around
  const mandate = mandateOf(row, around)
  if (row.status !== 'planned' || !mandate) return storedDebit(row)
  const decision = expectDebit({ own: { facts }, row }, dayInIndia(now), mandateCap(mandate, rules))
  switch (decision.kind) {
    case 'debit':
    case 'above_cap':
      return decision
    case 'nothing_due':
      return null
    case 'unknown':
      return storedDebit(row)
  }
}

const mandateOf = (row: CollectionRow, { mandates }: CollectionSurroundings): MandateRow | undefined =>
  mandates.find(({ mandate_id }) => mandate_id === row.mandate_id)

/** When a collection is presented, as far as is known. A planned one that is late can move. */
export function presentTimeOf(row: CollectionRow, mandate: Pick<MandateRow, 'method'> | undefined, now: Date): Date {
  if (row.status !== 'planned' && row.present_at !== null) return row.present_at
  return new Date(plannedPresentAtMs(mandate?.method ?? 'upi', row.debit_on, now.getTime()))
}

function skipUntil(row: CollectionRow, around: CollectionSurroundings): Date | null {
  if (row.status !== 'planned' && row.status !== 'announced') return null
  const until = new Date(changeableUntilMs(presentTimeOf(row, mandateOf(row, around), around.now).getTime()))
  return until > around.now ? until : null
}

/** The bank announces a debit by UPI; eNACH is announced by the portal's own notice. */
const isNotifiedByBank = (row: CollectionRow, { mandates }: CollectionSurroundings): boolean =>
  mandates.some(({ mandate_id, method }) => mandate_id === row.mandate_id && method === 'upi')

/** The provider's clock has whole seconds: its money is never before the request for it. */
function orderSteps(row: CollectionRow, isByBank: boolean, ofMoney: readonly CollectionStep[]): CollectionStep[] {
  const presentedMs = row.presented_at?.getTime() ?? 0
  const timed = [
    ...ownSteps(row, isByBank).map((step) => ({ step, atMs: step.at.getTime() })),
    ...ofMoney.map((step) => ({ step, atMs: Math.max(step.at.getTime(), presentedMs) })),
  ]
  return timed.toSorted((left, right) => left.atMs - right.atMs).map(({ step }) => step)
}

function ownSteps(row: CollectionRow, isByBank: boolean): CollectionStep[] {
  const { announced_at, delivered_at, presented_at, ended_at, status, amount_paise: amount } = row
  return [
    ...(announced_at ? [{ step: 'announced', at: announced_at, amount } as const] : []),
    ...(delivered_at && isByBank ? [{ step: 'delivered', at: delivered_at } as const] : []),
    ...(presented_at ? [{ step: 'presented', at: presented_at, amount } as const] : []),
    ...(ended_at && (status === 'failed' || status === 'skipped') ? [{ step: status, at: ended_at } as const] : []),
  ]
}
