import type { readProposal as call } from '#contract/operations.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { readAndLog } from './log-read.ts'
import { answerProposal } from './proposal-on-wire.ts'
import { findProposal } from './proposal-store.ts'

/**
 * Reads one proposal. Its preview shows the loan's figures, so the borrower's access log gets an
 * entry (decision 62).
 */
export const readProposal: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const row = await readAndLog(context, caller, { call: 'readProposal', origin }, async (sql) => {
    const row = await findProposal(sql, params.id)
    if (!row) throw notFound()
    return { answer: row, about: row }
  })
  return { proposal: await answerProposal(context, caller, row) }
}
