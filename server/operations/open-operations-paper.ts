import type { openOperationsPaper as call } from '#contract/loan-papers.ts'
import { findUserById, nameOf } from '../auth/user-store.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { readLoan } from '../loans/loan-store.ts'
import { storedFile } from '../documents/stored-file.ts'
import { findPaperOfAnyone } from '../loan-papers/paper-store.ts'
import { alertOfManyReads } from '../staff/read-user.ts'
import { logRead } from './log-read.ts'

/** Opens a paper for staff. The read is an entry in the borrower's access log (decision 62). */
export const openOperationsPaper: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const now = context.clock.now()
  const paper = await context.database.asSystem(async (sql) => {
    const found = await findPaperOfAnyone(sql, params.id)
    if (!found) throw notFound()
    const { borrower_id: borrowerId } = found
    const reader = await findUserById(sql, caller.actorId)
    if (!reader) throw notFound()
    const { lan } = await readLoan(sql, borrowerId, found.loan_id)
    await logRead(sql, caller, { borrowerId, lan, call: 'openOperationsPaper', reader: nameOf(reader), origin, now })
    return found
  })
  await alertOfManyReads(context, caller.actorId, now)
  return storedFile(context, paper)
}
