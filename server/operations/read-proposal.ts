import type { readProposal as call } from '#contract/operations.ts'
import { findUserById, nameOf } from '../auth/user-store.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { noBorrowerId } from '../payments/review-store.ts'
import { alertOfManyReads } from '../staff/read-user.ts'
import { logRead } from './log-read.ts'
import { answerProposal } from './proposal-on-wire.ts'
import { findProposal } from './proposal-store.ts'

/**
 * Reads one proposal. Its preview shows the loan's figures, so the borrower's access log gets an
 * entry (decision 62).
 */
export const readProposal: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const now = context.clock.now()
  const row = await context.database.asSystem(async (sql) => {
    const row = await findProposal(sql, params.id)
    const reader = await findUserById(sql, caller.actorId)
    if (!row || !reader) throw notFound()
    const { borrower_id: borrowerId, lan } = row
    if (borrowerId !== noBorrowerId)
      await logRead(sql, caller, { borrowerId, lan, call: 'readProposal', reader: nameOf(reader), origin, now })
    return row
  })
  await alertOfManyReads(context, caller.actorId, now)
  return { proposal: await answerProposal(context, caller, row) }
}
