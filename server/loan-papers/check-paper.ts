import { checkDeclaredType, checkFile, type CheckedFile } from '../documents/check-file.ts'
import { scanFile } from '../documents/scan-file.ts'
import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import type { StagedFile } from '../http/uploads.ts'

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

/** Where the bytes of a paper are stored. */
export const paperStorageKey = (key: { borrowerId: string; loanId: string }, paperId: string, sha256: Buffer): string =>
  `documents/${key.borrowerId}/${key.loanId}/paper-${paperId}-${sha256.toString('hex')}`
