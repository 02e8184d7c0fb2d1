import { queryOptions } from '@tanstack/react-query'
import { openDocument, readDocuments, type Document } from '#contract/documents.ts'
import type { Loan } from '#contract/loans.ts'
import { call, callForFile } from '#web/api/call.ts'
import { leadOf, loansKey } from '#web/loan/loan-queries.ts'

export const documentsKey = (loan: Loan) => [...loansKey, loan.lan, 'documents'] as const

export const documentsQuery = (loan: Loan) =>
  queryOptions({
    queryKey: documentsKey(loan),
    queryFn: async ({ signal }) => (await call(readDocuments, { query: { lead_id: leadOf(loan) } }, { signal })).documents,
  })

/** The bytes of an upload. Each opening is written down, so it is asked for once a preview and forgotten with it. */
export const documentBytesQuery = (document: Document) =>
  queryOptions({
    queryKey: ['document', document.document_id],
    queryFn: async ({ signal }) => {
      const bytes = await callForFile(openDocument, { params: { document_id: document.document_id } }, { signal })
      // The type that was checked at the upload decides what the browser makes of it.
      return new Blob([bytes], { type: document.content_type })
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
