import type { openOperationsPaper as call } from '#contract/loan-papers.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { readLoan } from '../loans/loan-store.ts'
import { storedFile } from '../documents/stored-file.ts'
import { findPaperOfAnyone } from '../loan-papers/paper-store.ts'
import { readAndLog } from './log-read.ts'

/** Opens a paper for staff. The read is an entry in the borrower's access log (decision 62). */
export const openOperationsPaper: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const paper = await readAndLog(context, caller, { call: 'openOperationsPaper', origin }, async (sql) => {
    const found = await findPaperOfAnyone(sql, params.id)
    if (!found) throw notFound()
    return { answer: found, about: await readLoan(sql, found.borrower_id, found.loan_id) }
  })
  return storedFile(context, paper)
}
