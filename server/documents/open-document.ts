import type { openDocument as call } from '#contract/documents.ts'
import { logAction } from '../access-log.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { isUuid } from '#contract/uuid.ts'
import { findDocument } from './document-store.ts'
import { storedFile } from './stored-file.ts'

/** Opens an upload. The access log records it before the first byte is sent. */
export const openDocument: UseCase<typeof call> = async (context, caller, { params, origin }) => {
  const { database, clock } = context
  const borrowerId = requireBorrower(caller)
  const document = await database.asBorrower(borrowerId, async (sql) => {
    const found = isUuid(params.document_id) ? await findDocument(sql, borrowerId, params.document_id) : undefined
    if (!found) throw notFound()
    await logAction(sql, { borrowerId, actorId: caller.actorId, origin, now: clock.now() }, 'document_opened', {
      document_id: found.document_id,
    })
    return found
  })
  return storedFile(context, document)
}
