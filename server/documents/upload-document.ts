import { uuidv7 } from 'uuidv7'
import type { uploadDocument as call } from '#contract/documents.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { fitsQuota, safeFilename } from '#domain/documents.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { logAction } from '../access-log.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { isAssuming, type Caller } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import type { Request, UseCase } from '../http/route.ts'
import { lockLoan, type LoanRow } from '../loans/loan-store.ts'
import { requireBorrower, findOwnLoan, readOwnLoan } from '../loans/own-loan.ts'
import { addNotice } from '../add-notice.ts'
import { checkFile, checkDeclaredType, type CheckedFile } from './check-file.ts'
import { findSameUpload, insertDocument, readUsage, type DocumentRow } from './document-store.ts'
import { documentOnWire } from './documents-on-wire.ts'
import { scanFile } from './scan-file.ts'
import { callStorage } from './storage-failure.ts'
import { removeUnnamedBytes } from './stored-file.ts'

/**
 * Stores an upload after these checks: the loan accepts it, the content has its type, the scanner
 * finds nothing. The bytes are stored before the row; the sweep removes bytes that a crash leaves
 * without a row.
 */
export const uploadDocument: UseCase<typeof call> = async (context, caller, request) => {
  const borrowerId = requireBorrower(caller)
  const { loan, existing } = await context.database.asBorrower(borrowerId, (sql) => checkUpload(context, sql, borrowerId, request))
  if (existing) return documentOnWire(existing)
  const { file } = request
  await scanFile(context, file.path)
  const checked = await checkFile(context, borrowerId, file)
  const row = newDocument(loan, caller, request, checked, context.clock.now())
  await callStorage(context.log, () => context.storage.put(row.storage_key, file.path))
  const stored = await context.database
    .asBorrower(borrowerId, (sql) => storeUpload(context, sql, loan, caller, row, request))
    .catch(async (error: unknown) => {
      // After any other error the row may be stored: only the answer to the commit was lost.
      if (error instanceof Failure) await removeUnnamedBytes(context, row.storage_key)
      throw error
    })
  if (stored.document_id !== row.document_id) await removeUnnamedBytes(context, row.storage_key)
  return documentOnWire(stored)
}

async function checkUpload(
  { clock }: Context,
  sql: Sql,
  borrowerId: string,
  { body, file }: Request<typeof call>,
): Promise<{ loan: LoanRow; existing: DocumentRow | undefined }> {
  const ids = [body.lead_id, body.lan, ...(body.partner_loan_id ? [body.partner_loan_id] : [])]
  await findOwnLoan(sql, borrowerId, ...ids)
  const { loan, facts } = await readOwnLoan(sql, borrowerId, body.lan)
  if (loan.lead_id === null) throw new Failure('LeadIdMissing')
  if (loanStateDuring(facts, dayInIndia(clock.now())).status !== 'ACTIVE')
    throw new Failure('LoanNotActive', 'Documents can be uploaded for an active loan only.')
  const same = await findSameUpload(sql, loan, body.document_type, file.sha256)
  // The same bytes under another type are a new upload, which checkFile refuses.
  return { loan, existing: same && same.content_type === checkDeclaredType(file) ? same : undefined }
}

function newDocument(loan: LoanRow, caller: Caller, { body, file }: Request<typeof call>, checked: CheckedFile, now: Date): DocumentRow {
  const documentId = uuidv7()
  return {
    borrower_id: loan.borrower_id,
    loan_id: loan.loan_id,
    document_id: documentId,
    document_type: body.document_type,
    filename: safeFilename(file.filename, checked.contentType),
    content_type: checked.contentType,
    size_bytes: BigInt(checked.sizeBytes),
    sha256: checked.sha256,
    upload_sha256: file.sha256,
    storage_key: `documents/${loan.borrower_id}/${loan.loan_id}/${documentId}-${checked.sha256.toString('hex')}`,
    created_at: now,
    created_by: caller.actorId,
  }
}

/**
 * Stores the row under the loan's lock, so that two concurrent uploads cannot exceed the quota
 * together.
 *
 * @returns the stored row; if another request has stored the same upload before, its row.
 */
async function storeUpload(
  { config }: Context,
  sql: Sql,
  loan: LoanRow,
  caller: Caller,
  row: DocumentRow,
  { origin }: Request<typeof call>,
): Promise<DocumentRow> {
  await lockLoan(sql, loan.borrower_id, loan.loan_id)
  const existing = await findSameUpload(sql, loan, row.document_type, row.upload_sha256)
  if (existing) return existing
  if (!fitsQuota(config.documents.quota, await readUsage(sql, loan), Number(row.size_bytes)))
    throw new Failure('DocumentQuotaReached', 'This loan has reached its document limit. Please send further ones to support.')
  await insertDocument(sql, row)
  const about = `document:${row.document_id}`
  if (isAssuming(caller))
    await addNotice(
      sql,
      { borrowerId: row.borrower_id, about, kind: 'document_added', lan: loan.lan, subject: row.filename },
      row.created_at,
    )
  await logAction(sql, { borrowerId: row.borrower_id, actorId: caller.actorId, origin, now: row.created_at }, 'document_uploaded', {
    document_id: row.document_id,
    lan: loan.lan,
  })
  return row
}
