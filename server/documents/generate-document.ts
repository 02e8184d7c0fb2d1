import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import type { generateDocument as call } from '#contract/documents.ts'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Day } from '#domain/calendar.ts'
import { logAccess } from '../access-log.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../caller.ts'
import type { Request, UseCase } from '../http/route.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { borrowerOf } from '../loans/own-loan.ts'
import { findGenerated, insertGenerated, type GeneratedRow } from './document-store.ts'
import { fill, wordsOf, type UnverifiedDocument } from './papers/paper-source.ts'
import { en } from './papers/words-en.ts'
import { countGeneration } from './document-quota.ts'
import { saveBytes } from './kept-bytes-store.ts'
import { removeOldBytes } from './remove-old-bytes.ts'
import { askStorage } from './storage-failure.ts'
import { codeOf, signTicket } from './ticket.ts'
import { writePaper } from './write-paper.ts'

/** How long an address holds (decision 41). */
const ticketMs = 5 * 60_000

/** Changes when the look of the documents does, so that nothing written before is taken for the same. */
const lookVersion = 1

/**
 * Writes a document about a loan, or finds the one that said the very same. What it says is worked out anew each time, so that it is
 * always of this version of the loan; only the writing is spared.
 */
export const generateDocument: UseCase<typeof call> = async (context, caller, request) => {
  const { database, clock, config } = context
  const borrowerId = borrowerOf(caller)
  const now = clock.now()
  const { loan, paper, today, receiptNumber } = await database.asBorrower(borrowerId, (sql) =>
    writePaper(config, sql, borrowerId, request.query, now),
  )
  const contentHash = createHash('sha256')
    .update(JSON.stringify([lookVersion, loan.lan, request.query.doc_type, paper, request.site]))
    .digest()
  await countGeneration(context, caller)
  const known = await database.asBorrower(borrowerId, (sql) => findGenerated(sql, borrowerId, contentHash))
  const document =
    known?.bytes_removed_at === null
      ? known
      : await write(context, caller, request, { loan, paper, today, receiptNumber, contentHash, now, known })
  await database.asBorrower(borrowerId, (sql) =>
    logAccess(sql, {
      at: now,
      subjectId: borrowerId,
      actorId: caller.actorId,
      action: 'document_generated',
      outcome: 'done',
      origin: request.origin,
      detail: { document_id: document.document_id, doc_type: document.doc_type },
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

type Work = {
  loan: LoanRow
  paper: UnverifiedDocument
  today: Day
  receiptNumber: string | null
  contentHash: Buffer
  now: Date
  known: GeneratedRow | undefined
}

/** The bytes are safe in the store before a row names them. Of two requests at once one row stays; the other's bytes are swept. */
async function write(
  context: Context,
  caller: Caller,
  { query, site }: Request<typeof call>,
  { loan, paper, today, receiptNumber, contentHash, now, known }: Work,
): Promise<GeneratedRow> {
  const { database, pdf, config } = context
  const code = codeOf(config.documents.ticketKey, contentHash)
  const { seal } = wordsOf(paper.language)
  const bytes = await pdf.write({ ...paper, seal: { label: seal.label, code, hint: fill(seal.hint, { site, code }) } })
  const bytesId = uuidv7()
  const documentId = known?.document_id ?? bytesId
  const row: GeneratedRow = {
    borrower_id: loan.borrower_id,
    loan_id: loan.loan_id,
    document_id: documentId,
    doc_type: query.doc_type,
    language: paper.language,
    content_hash: contentHash,
    code,
    filename: `${en.titles[query.doc_type].replaceAll(' ', '_')}_${receiptNumber ?? today}.pdf`,
    issued_on: today,
    size_bytes: BigInt(bytes.length),
    sha256: createHash('sha256').update(bytes).digest(),
    storage_key: `generated/${loan.borrower_id}/${loan.loan_id}/${bytesId}.pdf`,
    created_at: now,
    created_by: caller.actorId,
    receipt_number: receiptNumber,
    bytes_written_at: now,
    bytes_removed_at: null,
  }
  await keep(context, row.storage_key, bytes)
  const written = await database.asBorrower(loan.borrower_id, async (sql) => {
    if (known) return saveBytes(sql, known, row)
    if (await insertGenerated(sql, row)) return row
    return (await findGenerated(sql, loan.borrower_id, contentHash)) ?? row
  })
  await removeOldBytes(context, loan.borrower_id)
  return written
}

async function keep({ storage, config, log }: Context, key: string, bytes: Buffer): Promise<void> {
  const { stagingDirectory } = config.documents
  const path = join(stagingDirectory, randomUUID())
  await mkdir(stagingDirectory, { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, bytes, { mode: 0o600 })
    await askStorage(log, () => storage.put(key, path))
  } finally {
    await rm(path, { force: true })
  }
}
