import type { LoanPaperOnWire } from '#contract/loan-papers.ts'
import type { FileAnswer } from '../http/file-answer.ts'
import type { Context } from '../context.ts'
import { callStorage } from '../documents/storage-failure.ts'
import type { PaperRow, ShownPaper } from './paper-store.ts'

export const paperOnWire = ({ paper_id, paper, filename, size_bytes, sha256, published_at }: ShownPaper): LoanPaperOnWire => ({
  id: paper_id,
  paper,
  filename,
  size_bytes: Number(size_bytes),
  sha256: sha256.toString('hex'),
  published_at,
})

/** The bytes of a paper as an answer. */
export const paperFile = ({ storage, log }: Pick<Context, 'storage' | 'log'>, paper: PaperRow): FileAnswer => ({
  filename: paper.filename,
  contentType: paper.content_type,
  sizeBytes: Number(paper.size_bytes),
  sha256: paper.sha256,
  open: (range) => callStorage(log, () => storage.read(paper.storage_key, range)),
})
