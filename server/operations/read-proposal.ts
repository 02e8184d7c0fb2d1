import type { readProposal as call } from '#contract/operations.ts'
import { isUuid } from '#contract/uuid.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { answerProposal } from './approve-proposal.ts'
import { findProposal } from './proposal-store.ts'

/** Reads one proposal. */
export const readProposal: UseCase<typeof call> = async (context, caller, { params }) => {
  const id = params.id.toLowerCase()
  const row = isUuid(id) ? await context.database.asSystem((sql) => findProposal(sql, id)) : undefined
  if (!row) throw notFound()
  return { proposal: await answerProposal(context, caller, row) }
}
