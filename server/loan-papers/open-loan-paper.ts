import type { openLoanPaper as call } from '#contract/loan-papers.ts'
import { logAccess } from '../access-log.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { paperFile } from './paper-on-wire.ts'
import { findPaper } from './paper-store.ts'

/** Opens a published paper. The access log records it before the first byte is sent. */
export const openLoanPaper: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const borrowerId = requireBorrower(caller)
  const paper = await context.database.asBorrower(borrowerId, async (sql) => {
    const found = await findPaper(sql, borrowerId, params.id)
    if (!found || found.published_at === null) throw notFound()
    await logAccess(sql, {
      at: context.clock.now(),
      subjectId: borrowerId,
      actorId: caller.actorId,
      action: 'document_opened',
      outcome: 'done',
      origin,
      detail: { paper_id: found.paper_id, paper: found.paper },
    })
    return found
  })
  return paperFile(context, paper)
}
