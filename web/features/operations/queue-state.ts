import { hourMs } from '#domain/durations.ts'
import { operationKinds, type OperationKind } from '#domain/operations.ts'
import { readListQuery } from '#web/ui/list-search.ts'

/** The lists of proposals and of reviews. The first of each is left out of the address. */
const queueLists = ['mine', 'decided', 'resolved'] as const
export type QueueList = (typeof queueLists)[number]

/** The search parameters of the lists: reload and Back show the same page. */
export type QueueQuery = { list?: QueueList; kind?: OperationKind; page?: number }

const find = <Value extends string>(values: readonly Value[], text: unknown): Value | undefined => values.find((value) => value === text)

/** The URL may have been typed by hand: invalid parts are dropped. */
export function readQueueQuery(params: Record<string, unknown>): QueueQuery {
  const list = find(queueLists, params['list'])
  const kind = find(operationKinds, params['kind'])
  const { page } = readListQuery({ page: params['page'] })
  return { ...(list !== undefined && { list }), ...(kind !== undefined && { kind }), ...(page !== undefined && { page }) }
}

/** The kinds about the rates of all loans under a benchmark. */
export const rateKinds = ['benchmark_publish', 'rate_reset_run'] as const satisfies readonly OperationKind[]

const elsewhere: readonly OperationKind[] = [...rateKinds, 'review_resolve']

/** The kinds that the page of a loan offers. */
export const kindsOnLoanPage = operationKinds.filter((kind) => !elsewhere.includes(kind))

/** The dialog that a loan's page opens with: `?do=charge_waive`. */
type LoanTask = { do?: OperationKind }

export function readLoanTask(params: Record<string, unknown>): LoanTask {
  const kind = kindsOnLoanPage.find((one) => one === params['do'])
  return kind === undefined ? {} : { do: kind }
}

/** Whole hours below two days, then whole days. */
export function computeAge(from: Date, nowMs: number): { unit: 'hours' | 'days'; count: number } {
  const hours = Math.max(0, Math.trunc((nowMs - from.getTime()) / hourMs))
  return hours < 48 ? { unit: 'hours', count: hours } : { unit: 'days', count: Math.trunc(hours / 24) }
}

/** A proposal expires after 72 hours; it is urgent in its last day. */
export const isUrgent = (expiresAt: Date, nowMs: number): boolean => expiresAt.getTime() - nowMs < 24 * hourMs
