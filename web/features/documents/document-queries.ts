import { queryOptions } from '@tanstack/react-query'
import { openDocument, readDocuments, type Document } from '#contract/documents.ts'
import type { Loan } from '#contract/loans.ts'
import { call, callForFile } from '#web/api/call.ts'
import { getLeadId, loansKey } from '#web/loan/loan-queries.ts'

const documentsKey = (loan: Loan) => [...loansKey, loan.lan, 'documents'] as const

export const documentsQuery = (loan: Loan) =>
  queryOptions({
    queryKey: documentsKey(loan),
    queryFn: async ({ signal }) => (await call(readDocuments, { query: { lead_id: getLeadId(loan) } }, { signal })).documents,
  })

/**
 * The bytes of an upload. The server logs each read, so it is requested once per preview and not
 * cached.
 */
export const documentBytesQuery = (document: Document) =>
  queryOptions({
    queryKey: ['document', document.document_id],
    queryFn: async ({ signal }) => {
      const bytes = await callForFile(openDocument, { params: { document_id: document.document_id } }, { signal })
      // The checked type of the upload decides how the browser treats it.
      return new Blob([bytes], { type: document.content_type })
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
