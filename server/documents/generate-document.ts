import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { generateDocument as call } from '#contract/documents.ts'
import { apiPrefix } from '#contract/endpoint.ts'
import { verificationPath } from '#contract/verification-path.ts'
import { minuteMs } from '#domain/durations.ts'
import { logAction } from '../access-log.ts'
import { putBytes } from '../adapters/object-storage/put-bytes.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../caller.ts'
import type { Request, UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { findGenerated, insertGenerated, type GeneratedRow } from './document-store.ts'
import { getWords } from './content/document-source.ts'
import { en } from './content/words-en.ts'
import { countGeneration } from './document-quota.ts'
import { saveBytes } from './stored-bytes-store.ts'
import { removeOldBytes } from './remove-old-bytes.ts'
import { callStorage } from './storage-failure.ts'
import { computeVerificationCode, signTicket } from './ticket.ts'
import { composeDocument } from './compose-document.ts'

/** How long a document's address is valid (decision 41). */
const ticketMs = 5 * minuteMs

/** Increase it when the layout changes, so that earlier documents are not reused. */
const layoutVersion = 2

/**
 * Writes a document about a loan, or finds an earlier one with the same content. The content is
 * always composed anew, so it is current; only rendering is skipped.
 */
export const generateDocument: UseCase<typeof call> = async (context, caller, request) => {
  const { database, clock, config } = context
  const borrowerId = requireBorrower(caller)
  const now = clock.now()
  // Printed on the document, so it does not depend on the host that the borrower uses.
  const origin = config.origins[0] ?? ''
  const composed = await database.asBorrower(borrowerId, (sql) => composeDocument(config, sql, borrowerId, request.query, now))
  const { loan, content } = composed
  const contentHash = hash('sha256', JSON.stringify([layoutVersion, loan.lan, request.query.doc_type, content, origin]), 'buffer')
  await countGeneration(context, caller)
  const earlier = await database.asBorrower(borrowerId, (sql) => findGenerated(sql, borrowerId, contentHash))
  const document =
    earlier?.bytes_removed_at === null
      ? earlier
      : await writeDocument(context, caller, request, { ...composed, contentHash, now, earlier, origin })
  await database.asBorrower(borrowerId, (sql) =>
    logAction(sql, { borrowerId, actorId: caller.actorId, origin: request.origin, now }, 'document_generated', {
      document_id: document.document_id,
      doc_type: document.doc_type,
    }),
  )
  const expiresAt = new Date(now.getTime() + ticketMs)
  const ticket = signTicket(config.documents.ticketKey, {
    documentId: document.document_id,
    borrowerId,
    actorId: caller.actorId,
    sessionId: caller.sessionId,
    expiresAt,
  })
  return {
    doc_url: `${request.site}${apiPrefix}/portal/generated-document?ticket=${ticket}`,
    filename: document.filename,
    expires_at: expiresAt,
    verification_code: document.code,
  }
}

type Composed = Awaited<ReturnType<typeof composeDocument>> & {
  contentHash: Buffer
  now: Date
  earlier: GeneratedRow | undefined
  origin: string
}

/**
 * Stores the bytes before the row that names them. Of two concurrent requests one row remains; the
 * sweep removes the other's bytes.
 */
async function writeDocument(
  context: Context,
  caller: Caller,
  { query }: Request<typeof call>,
  { loan, content, amountPaise, today, receiptNumber, contentHash, now, earlier, origin }: Composed,
): Promise<GeneratedRow> {
  const { database, pdf, storage, config, log } = context
  // The code of an earlier document is the one that is stored, also if the key was changed since.
  const code = earlier?.code ?? computeVerificationCode(config.documents.ticketKey, contentHash)
  const { verification } = getWords(content.language)
  const bytes = await pdf.write({
    ...content,
    verification: { ...verification, code, address: `${origin}${verificationPath}?code=${code}` },
  })
  const bytesId = uuidv7()
  const documentId = earlier?.document_id ?? bytesId
  const row: GeneratedRow = {
    borrower_id: loan.borrower_id,
    loan_id: loan.loan_id,
    document_id: documentId,
    doc_type: query.doc_type,
    language: content.language,
    content_hash: contentHash,
    code,
    filename: `${en.titles[query.doc_type].replaceAll(' ', '_')}_${receiptNumber ?? today}.pdf`,
    issued_on: today,
    size_bytes: BigInt(bytes.length),
    sha256: hash('sha256', bytes, 'buffer'),
    storage_key: `generated/${loan.borrower_id}/${loan.loan_id}/${bytesId}.pdf`,
    created_at: now,
    created_by: caller.actorId,
    receipt_number: receiptNumber,
    amount_paise: amountPaise,
    bytes_written_at: now,
    bytes_removed_at: null,
  }
  await callStorage(log, () => putBytes(storage, row.storage_key, bytes, config.documents.stagingDirectory))
  const written = await database.asBorrower(loan.borrower_id, async (sql) => {
    if (earlier) return saveBytes(sql, earlier, row)
    if (await insertGenerated(sql, row)) return row
    return (await findGenerated(sql, loan.borrower_id, contentHash)) ?? row
  })
  await removeOldBytes(context, loan.borrower_id)
  return written
}
