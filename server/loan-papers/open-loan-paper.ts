import type { openLoanPaper as call } from '#contract/loan-papers.ts'
import { logAction } from '../access-log.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { storedFile } from '../documents/stored-file.ts'
import { findPaper } from './paper-store.ts'

/** Opens a published paper. The access log records it before the first byte is sent. */
export const openLoanPaper: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const borrowerId = requireBorrower(caller)
  const paper = await context.database.asBorrower(borrowerId, async (sql) => {
    const found = await findPaper(sql, borrowerId, params.id)
    if (!found || found.published_at === null) throw notFound()
    await logAction(sql, { borrowerId, actorId: caller.actorId, origin, now: context.clock.now() }, 'document_opened', {
      paper_id: found.paper_id,
      paper: found.paper,
    })
    return found
  })
  return storedFile(context, paper)
}
