import type { Insertable, Selectable } from 'kysely'
import { isUuid } from '#contract/uuid.ts'
import { sumPaise, zeroPaise, type Paise } from '#domain/money.ts'
import type { DecisionCause, StoredProposalState } from '#domain/operations.ts'
import type { Sql } from '../database/connect.ts'
import type { OperationProposals } from '../database/schema.generated.ts'

/** Input and preview are as on the wire. */
export type ProposalRow = Omit<Selectable<OperationProposals>, 'input' | 'preview'> & { input: unknown; preview: unknown }
type ProposalKey = Pick<ProposalRow, 'borrower_id' | 'proposal_id'>

/** A person who decides, as the proposal keeps them. */
export type Decider = { userId: string; name: string }

type Decision = {
  state: Exclude<StoredProposalState, 'proposed'>
  /** Null if the system or the maker decides. */
  checker: Decider | null
  reason: string | null
  /** The reason as a code, if the portal decides. */
  cause?: DecisionCause | null
  at: Date
  /** Of an execution: what was executed. */
  executed?: { preview: object; previewHash: string }
}

export async function insertProposal(sql: Sql, row: Insertable<OperationProposals>): Promise<void> {
  await sql.insertInto('operation_proposals').values(row).execute()
}

/** Finds a proposal of any borrower; there is none with an id that is not a UUID. */
export async function findProposal(sql: Sql, proposalId: string): Promise<ProposalRow | undefined> {
  if (!isUuid(proposalId)) return undefined
  return sql.selectFrom('operation_proposals').selectAll().where('proposal_id', '=', proposalId).executeTakeFirst()
}

/** Reads a proposal under its row lock. */
export async function lockProposal(sql: Sql, key: ProposalKey): Promise<ProposalRow> {
  return sql
    .selectFrom('operation_proposals')
    .selectAll()
    .where('borrower_id', '=', key.borrower_id)
    .where('proposal_id', '=', key.proposal_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/**
 * Stores the decision, once.
 *
 * @returns the decided proposal; undefined if it was decided or had expired before.
 */
export async function decideProposal(
  sql: Sql,
  key: ProposalKey,
  { state, checker, reason, cause = null, at, executed }: Decision,
): Promise<ProposalRow | undefined> {
  return sql
    .updateTable('operation_proposals')
    .set({
      state,
      checker_id: checker?.userId ?? null,
      checker_name: checker?.name ?? null,
      decision_reason: reason,
      decision_cause: cause,
      decided_at: at,
      ...(executed && { preview: JSON.stringify(executed.preview), preview_hash: executed.previewHash }),
    })
    .where('borrower_id', '=', key.borrower_id)
    .where('proposal_id', '=', key.proposal_id)
    .where('state', '=', 'proposed')
    .where('expires_at', '>', at)
    .returningAll()
    .executeTakeFirst()
}

/** Withdraws every open proposal of a staff member. @returns the withdrawn ones. */
export async function withdrawOpenProposals(
  sql: Sql,
  makerId: string,
  { reason, cause }: { reason: string; cause: DecisionCause },
  now: Date,
): Promise<ProposalRow[]> {
  return sql
    .updateTable('operation_proposals')
    .set({ state: 'withdrawn', decided_at: now, decision_reason: reason, decision_cause: cause })
    .where('maker_id', '=', makerId)
    .where('state', '=', 'proposed')
    .where('expires_at', '>', now)
    .returningAll()
    .execute()
}

/** Marks the proposals that have expired since the last call. @returns the marked ones. */
export async function markExpiredProposals(sql: Sql, now: Date): Promise<ProposalRow[]> {
  return sql
    .updateTable('operation_proposals')
    .set({ expiry_logged_at: now })
    .where('state', '=', 'proposed')
    .where('expires_at', '<=', now)
    .where('expiry_logged_at', 'is', null)
    .returningAll()
    .execute()
}

/** Finds another open proposal to record a payment with this bank reference. */
export async function findProposalOfReference(sql: Sql, reference: string, now: Date): Promise<Pick<ProposalRow, 'lan'> | undefined> {
  return sql
    .selectFrom('operation_proposals')
    .select('lan')
    .where('bank_reference', '=', reference)
    .where('state', '=', 'proposed')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** The sum of what people executed alone on a loan since a time, of one kind. */
export async function sumExecutedAlone(
  sql: Sql,
  { borrower_id, loan_id, kind }: Pick<ProposalRow, 'borrower_id' | 'loan_id' | 'kind'>,
  since: Date,
): Promise<Paise> {
  const rows = await sql
    .selectFrom('operation_proposals')
    .select('amount_paise')
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .where('kind', '=', kind)
    .where('state', '=', 'executed')
    .where('checker_id', 'is', null)
    .where('decided_at', '>=', since)
    .execute()
  return sumPaise(rows.map(({ amount_paise }) => amount_paise ?? zeroPaise))
}

/** The state that callers see. */
export const isExpired = ({ state, expires_at }: Pick<ProposalRow, 'state' | 'expires_at'>, now: Date): boolean =>
  state === 'proposed' && expires_at <= now
