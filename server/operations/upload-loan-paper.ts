import type { uploadLoanPaper as call } from '#contract/loan-papers.ts'
import { logAction } from '../access-log.ts'
import { nameOf } from '../auth/user-store.ts'
import type { UseCase } from '../http/route.ts'
import { notFound } from '../http/failure.ts'
import { callStorage } from '../documents/storage-failure.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { checkPaper, newPaper } from '../loan-papers/new-paper.ts'
import { paperOnWire } from '../loan-papers/paper-on-wire.ts'
import { insertPaper } from '../loan-papers/paper-store.ts'
import { readActor } from './four-eyes.ts'

/**
 * Stores a PDF for a loan that waits for its publication. The bytes are stored before the row; the
 * sweep removes bytes that a crash leaves without a row.
 */
export const uploadLoanPaper: UseCase<typeof call> = async (context, caller, { body, file, origin }) => {
  const { database, clock, log, storage } = context
  const { key, actor } = await database.asSystem(async (sql) => {
    const found = await findLoanKey(sql, body.lan)
    if (!found) throw notFound()
    return { key: found, actor: await readActor(sql, caller, found.borrowerId) }
  })
  const checked = await checkPaper(context, key.borrowerId, file)
  const now = clock.now()
  const row = newPaper(key, { paper: body.paper, filename: file.filename, checked }, now, caller.actorId)
  await callStorage(log, () => storage.put(row.storage_key, file.path))
  await database.asSystem(async (sql) => {
    await insertPaper(sql, row)
    await logAction(sql, { borrowerId: key.borrowerId, actorId: caller.actorId, origin, now }, 'paper_uploaded', {
      lan: body.lan,
      paper: body.paper,
      paper_id: row.paper_id,
      operator: nameOf(actor),
    })
  })
  return { loan_paper: paperOnWire(row) }
}
