import { uuidv7 } from 'uuidv7'
import { safeFilename, type LoanPaper } from '#domain/documents.ts'
import { checkDeclaredType, checkFile, type CheckedFile } from '../documents/check-file.ts'
import { scanFile } from '../documents/scan-file.ts'
import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import type { StagedFile } from '../http/uploads.ts'
import type { PaperRow } from './paper-store.ts'

export const paperContentType = 'application/pdf'

/**
 * Checks that a file is a PDF without malware and active content.
 *
 * @param borrowerId the borrower of the paper's loan.
 * @throws Failure FileEmpty, FileTypeUnsupported, FileRefused, ScannerUnavailable.
 */
export async function checkPaper(
  context: Pick<Context, 'examiner' | 'scanner' | 'log'>,
  borrowerId: string,
  file: StagedFile,
): Promise<CheckedFile> {
  if (file.sizeBytes > 0 && checkDeclaredType(file) !== paperContentType)
    throw new Failure('FileTypeUnsupported', 'A paper of a loan is a PDF.', { field: 'file' })
  await scanFile(context, file.path)
  return checkFile(context, borrowerId, file)
}

/** A paper that is not published yet, of a checked file. */
export function newPaper(
  { borrowerId, loanId }: { borrowerId: string; loanId: string },
  { paper, filename, checked: { sha256, sizeBytes } }: { paper: LoanPaper; filename: string; checked: CheckedFile },
  now: Date,
  actorId: string,
): PaperRow {
  const paperId = uuidv7()
  return {
    borrower_id: borrowerId,
    paper_id: paperId,
    loan_id: loanId,
    paper,
    filename: safeFilename(filename, paperContentType),
    content_type: paperContentType,
    size_bytes: BigInt(sizeBytes),
    sha256,
    storage_key: `documents/${borrowerId}/${loanId}/paper-${paperId}-${sha256.toString('hex')}`,
    uploaded_at: now,
    uploaded_by: actorId,
    published_at: null,
    published_by: null,
  }
}
