import type { LoanPaperOnWire } from '#contract/loan-papers.ts'
import type { ShownPaper } from './paper-store.ts'

export const paperOnWire = ({ paper_id, paper, filename, size_bytes, sha256, published_at }: ShownPaper): LoanPaperOnWire => ({
  id: paper_id,
  paper,
  filename,
  size_bytes: Number(size_bytes),
  sha256: sha256.toString('hex'),
  published_at,
})
