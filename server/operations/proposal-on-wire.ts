import * as z from 'zod/mini'
import { preview as previewSchema, type Preview } from '#contract/operation-kinds.ts'
import type { Proposal } from '#contract/operations.ts'
import { findNames } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { isExpired, type ProposalRow } from './proposal-store.ts'

export const encodePreview = (preview: Preview): object => z.encode(previewSchema, preview)

type Reader = { actorId: string; now: Date }

/** Proposals as the API returns them, with the names of their borrowers. */
export async function proposalsOnWire(sql: Sql, rows: readonly ProposalRow[], reader: Reader): Promise<Proposal[]> {
  const names = await findNames(
    sql,
    rows.map(({ borrower_id }) => borrower_id),
  )
  return rows.map((row) => proposalOnWire(row, names.get(row.borrower_id) ?? null, reader))
}

function proposalOnWire(row: ProposalRow, borrowerName: string | null, { actorId, now }: Reader): Proposal {
  return {
    id: row.proposal_id,
    state: isExpired(row, now) ? 'expired' : row.state,
    kind: row.kind,
    lan: row.lan,
    borrower_name: borrowerName,
    input: row.input as Record<string, unknown>,
    amount: row.amount_paise,
    reason: row.reason,
    maker: { user_id: row.maker_id, name: row.maker_name },
    checker: row.checker_id === null ? null : { user_id: row.checker_id, name: row.checker_name ?? '' },
    preview: z.decode(previewSchema, row.preview as never),
    proposed_at: row.proposed_at,
    expires_at: row.expires_at,
    decided_at: row.decided_at,
    decision_reason: row.decision_reason,
    decision_cause: row.decision_cause,
    is_own: row.maker_id === actorId,
  }
}

/** One proposal as the API returns it. */
export async function answerProposal(context: Context, { actorId }: Caller, row: ProposalRow) {
  const now = context.clock.now()
  const [proposal] = await context.database.asSystem((sql) => proposalsOnWire(sql, [row], { actorId, now }))
  if (!proposal) throw notFound()
  return proposal
}
