import * as z from 'zod/mini'
import { loanPapers } from '#domain/documents.ts'
import { instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/** A paper that the borrower signed or was given with the loan. A PDF. */
const loanPaper = z.object({
  id: z.string(),
  paper: z.enum(loanPapers),
  filename: z.string(),
  size_bytes: z.int(),
  /** SHA-256 of the file, in hex. */
  sha256: z.string(),
  /** Null while it waits for its approval; only staff see that. */
  published_at: z.nullable(instant),
})
export type LoanPaperOnWire = z.output<typeof loanPaper>

/** The papers of a loan, newest first. */
export const readLoanPapers = endpoint({
  method: 'GET',
  path: '/portal/loan-papers',
  access: 'session',
  summary: 'The papers of a loan from the lender',
  query: z.object({ application_id: identifier }),
  response: z.object({ loan_papers: z.array(loanPaper) }),
  errors: ['NotFound'],
})

/** The bytes of a paper, or a range of them. Each opening writes an access log entry. */
export const openLoanPaper = endpoint({
  method: 'GET',
  path: '/portal/loan-papers/:id',
  access: 'document:read',
  summary: 'Download a paper of a loan',
  params: z.object({ id: identifier }),
  answers: 'file',
  response: z.unknown(),
  errors: ['NotFound', 'StorageUnavailable'],
})

/**
 * Stores a file that `paper_publish` then proposes to publish. Only staff see it before. It is
 * deleted after seven days if it is neither published nor proposed.
 */
export const uploadLoanPaper = endpoint({
  method: 'POST',
  path: '/operations/loan-papers',
  access: 'operations:propose',
  summary: 'Upload a paper of a loan, as staff',
  takes: 'file',
  body: z.object({ lan: identifier, paper: z.enum(loanPapers) }),
  response: z.object({ loan_paper: loanPaper }),
  errors: [
    'NotFound',
    'FourEyes',
    'FileEmpty',
    'FileTypeUnsupported',
    'FileTooLarge',
    'FileRefused',
    'RequestTimeout',
    'UnsupportedMediaType',
    'StorageUnavailable',
    'ScannerUnavailable',
  ],
})

/** The bytes of a paper for the person who approves it. */
export const openOperationsPaper = endpoint({
  method: 'GET',
  path: '/operations/loan-papers/:id',
  access: 'operations:read',
  summary: 'Download a paper of a loan, as staff',
  params: z.object({ id: identifier }),
  answers: 'file',
  response: z.unknown(),
  errors: ['NotFound', 'StorageUnavailable'],
})
