import type { SelectQueryBuilder } from 'kysely'
import type { OperationKind, ProposalState } from '#domain/operations.ts'
import type { Sql } from '../database/connect.ts'
import type { DB } from '../database/schema.generated.ts'
import type { Page } from '../staff/user-list-store.ts'
import type { ProposalRow } from './proposal-store.ts'

/** `decided`: every final state. `mine`: of the reader, in any state. */
type QueueFilter = { state: ProposalState | 'decided' | 'mine'; kind?: OperationKind | undefined; readerId: string; now: Date }

/** A page of the queue, oldest first if it is open, and the number of all matches. */
export async function listProposals(
  sql: Sql,
  filter: QueueFilter,
  { limit, offset }: Page,
): Promise<{ rows: ProposalRow[]; total: number }> {
  const matching = filterQueue(sql.selectFrom('operation_proposals'), filter)
  const { total } = await matching.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow()
  const order = filter.state === 'proposed' ? 'asc' : 'desc'
  const rows = await matching.selectAll().orderBy('proposed_at', order).orderBy('proposal_id', order).limit(limit).offset(offset).execute()
  return { rows, total: Number(total) }
}

function filterQueue<O>(query: SelectQueryBuilder<DB, 'operation_proposals', O>, { state, kind, readerId, now }: QueueFilter) {
  const ofKind = kind === undefined ? query : query.where('kind', '=', kind)
  switch (state) {
    case 'mine':
      return ofKind.where('maker_id', '=', readerId)
    case 'proposed':
      return ofKind.where('state', '=', 'proposed').where('expires_at', '>', now)
    case 'expired':
      return ofKind.where('state', '=', 'proposed').where('expires_at', '<=', now)
    case 'decided':
      return ofKind.where((where) => where.or([where('state', '<>', 'proposed'), where('expires_at', '<=', now)]))
    default:
      return ofKind.where('state', '=', state)
  }
}

/** The open proposals by kind, and how many of them are the reader's. */
export async function countOpenProposals(sql: Sql, readerId: string, now: Date) {
  const rows = await sql
    .selectFrom('operation_proposals')
    .select(({ fn }) => ['kind', fn.countAll<bigint>().as('open'), fn.countAll<bigint>().filterWhere('maker_id', '=', readerId).as('mine')])
    .where('state', '=', 'proposed')
    .where('expires_at', '>', now)
    .groupBy('kind')
    .orderBy('kind')
    .execute()
  return rows.map(({ kind, open, mine }) => ({ kind, open: Number(open), mine: Number(mine) }))
}

/** The latest proposals about a loan, newest first. */
export async function listLoanProposals(sql: Sql, borrowerId: string, loanId: string): Promise<ProposalRow[]> {
  return sql
    .selectFrom('operation_proposals')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', loanId)
    .orderBy('proposed_at', 'desc')
    .limit(100)
    .execute()
}

/** The open proposals of several loans or reviews: how many by loan, and which by review. */
export async function findOpenProposals(sql: Sql, borrowerIds: readonly string[], now: Date): Promise<ProposalRow[]> {
  if (borrowerIds.length === 0) return []
  return sql
    .selectFrom('operation_proposals')
    .selectAll()
    .where('borrower_id', 'in', [...new Set(borrowerIds)])
    .where('state', '=', 'proposed')
    .where('expires_at', '>', now)
    .execute()
}
