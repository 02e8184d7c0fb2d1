import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { openDocument, readDocuments, type Document } from '#contract/documents.ts'
import { openLoanPaper, readLoanPapers, type LoanPaperOnWire } from '#contract/loan-papers.ts'
import type { Loan } from '#contract/loans.ts'
import { call, callForFile, fileTimeoutMs } from '#web/api/call.ts'
import { loggedRead } from '#web/api/query-client.ts'
import { getLeadId, loansKey } from '#web/loan/loan-queries.ts'

const documentsKey = (loan: Loan) => [...loansKey, loan.lan, 'documents'] as const

export const documentsQuery = (loan: Loan) =>
  queryOptions({
    queryKey: documentsKey(loan),
    queryFn: async ({ signal }) => (await call(readDocuments, { query: { lead_id: getLeadId(loan) } }, { signal })).documents,
  })

export type FailedUpload = { error: unknown; filename: string }

/**
 * The last upload of a loan that failed after its dialog was closed. Kept with the loan's data,
 * because another tab of the page may be open by then.
 */
export function useFailedUpload({ lan }: Loan) {
  const client = useQueryClient()
  const queryKey = [...loansKey, lan, 'failed-upload']
  const { data: failed = null } = useQuery<FailedUpload | null>({ queryKey, queryFn: () => null, enabled: false })
  const setFailed = (now: FailedUpload | null) => client.setQueryData<FailedUpload | null>(queryKey, now)
  return { failed, setFailed }
}

/** The papers of a loan that the lender published. */
export const papersQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'papers'],
    queryFn: async ({ signal }) => (await call(readLoanPapers, { query: { application_id: loan.lan } }, { signal })).loan_papers,
  })

/** The bytes of an upload. */
export const documentBytesQuery = ({ document_id, content_type }: Document) =>
  bytesQuery(document_id, content_type, (signal) =>
    callForFile(openDocument, { params: { document_id } }, { signal, timeoutMs: fileTimeoutMs }),
  )

/** The bytes of a paper. */
export const paperBytesQuery = ({ id }: LoanPaperOnWire) =>
  bytesQuery(id, 'application/pdf', (signal) => callForFile(openLoanPaper, { params: { id } }, { signal, timeoutMs: fileTimeoutMs }))

/** Requested once per preview and not cached. */
const bytesQuery = (id: string, contentType: string, read: (signal: AbortSignal) => Promise<Blob>) =>
  queryOptions({
    queryKey: ['document', id],
    // The checked type of the file decides how the browser treats it.
    queryFn: async ({ signal }) => new Blob([await read(signal)], { type: contentType }),
    ...loggedRead,
    gcTime: 0,
  })
