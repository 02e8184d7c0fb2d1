import { dayInIndia } from '#domain/calendar.ts'
import { daySeconds } from '#domain/durations.ts'
import type { SuiteRun } from '../suite.ts'

type OrderState = { id: string; receipt: string | null; notification?: { delivered_at?: number | null } | null }
type PaymentState = { id: string; order_id: string; created_at: number }

/**
 * Compares the debits that the provider received with their notices, and with the links and the
 * ends of their loans. The money itself is compared after each round.
 */
export async function judgeDebits({ portal, broken }: SuiteRun): Promise<void> {
  const { orders, payments } = (await portal.sandbox('/state')).body as { orders: OrderState[]; payments: PaymentState[] }
  const receipts = new Map(orders.map((order) => [order.id, order]))
  const debits = payments.filter(({ order_id }) => receipts.get(order_id)?.receipt?.startsWith('KC'))
  for (const [orderId, requests] of Map.groupBy(debits, ({ order_id }) => order_id))
    if (requests.length > 1) broken(`doubled: order ${orderId} was debited ${requests.length} times`)
  for (const { id, order_id, created_at } of debits) {
    const notification = receipts.get(order_id)?.notification
    const delivered = notification?.delivered_at
    if (notification && (!delivered || created_at < delivered + daySeconds)) broken(`unannounced: debit ${id}`)
  }
  for (const text of await listOverlaps(portal)) broken(`both-open: ${text}`)
  for (const text of await listDebitsAfterClose(portal)) broken(`after-close: ${text}`)
}

/**
 * Links that could be paid while a debit of their loan was presented, by both histories. A debit
 * that succeeded late has the time of its success; after its failure a link could be made, and that
 * time is the one of its notice.
 */
async function listOverlaps(portal: SuiteRun['portal']): Promise<string[]> {
  const rows = await portal.database().asSystem((sql) =>
    sql
      .selectFrom('collections as debit')
      .innerJoin('payment_links as link', (join) =>
        join.onRef('link.borrower_id', '=', 'debit.borrower_id').onRef('link.loan_id', '=', 'debit.loan_id'),
      )
      .innerJoin('payment_link_history as step', (join) =>
        join.onRef('step.borrower_id', '=', 'link.borrower_id').onRef('step.payment_intent_id', '=', 'link.payment_intent_id'),
      )
      .leftJoin('notices as failure', (join) =>
        join
          .onRef('failure.borrower_id', '=', 'debit.borrower_id')
          .on('failure.about', '=', ({ eb }) => eb(eb.val('autopay_failed:'), '||', eb.ref('debit.collection_id'))),
      )
      .select([
        'debit.reference',
        'debit.presented_at',
        'debit.ended_at',
        'failure.created_at as failed_at',
        'link.reference as link',
        'link.created_at',
        'step.at',
        'step.to_status',
      ])
      .where('debit.presented_at', 'is not', null)
      .execute(),
  )
  const open = new Set(['creating', 'created', 'partially_paid'])
  return [...Map.groupBy(rows, ({ reference, link }) => `${reference} ${link}`).values()].flatMap((steps) => {
    const [{ reference, link, presented_at, ended_at, failed_at, created_at } = steps[0] as (typeof steps)[number]] = steps
    const closedMs = Math.min(...steps.filter(({ to_status }) => !open.has(to_status)).map(({ at }) => at.getTime()))
    const [createdMs, presentedMs, endMs] = [created_at.getTime(), msOf(presented_at), msOf(failed_at ?? ended_at)]
    return createdMs < endMs && presentedMs < closedMs && createdMs < closedMs
      ? [`link ${link}, open ${span(createdMs, closedMs)}, and debit ${reference}, presented ${span(presentedMs, endMs)}`]
      : []
  })
}

const msOf = (at: Date | null): number => at?.getTime() ?? Infinity
const span = (fromMs: number, toMs: number): string =>
  `from ${new Date(fromMs).toISOString()}${toMs === Infinity ? ' on' : ` to ${new Date(toMs).toISOString()}`}`

async function listDebitsAfterClose(portal: SuiteRun['portal']): Promise<string[]> {
  const rows = await portal.database().asSystem((sql) =>
    sql
      .selectFrom('collections as debit')
      .innerJoin('mandates as mandate', (join) =>
        join.onRef('mandate.borrower_id', '=', 'debit.borrower_id').onRef('mandate.mandate_id', '=', 'debit.mandate_id'),
      )
      .select(['debit.reference', 'debit.presented_at', 'mandate.end_requested_at'])
      .where('mandate.end_reason', '=', 'loan_closed')
      .where('debit.presented_at', 'is not', null)
      .execute(),
  )
  return rows
    .filter(({ presented_at, end_requested_at }) => presented_at !== null && end_requested_at !== null && presented_at > end_requested_at)
    .map(({ reference, presented_at }) => `debit ${reference} on ${dayInIndia(presented_at ?? new Date(0))}`)
}
