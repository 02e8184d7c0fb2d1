import { useLingui } from '@lingui/react/macro'
import type { Loan } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import type { GeneratedDocumentType } from '#domain/documents.ts'
import { useLanguage } from '#web/i18n/i18n.ts'
import { buildFilename } from '#web/loan/document-filename.ts'
import { documentTypeText } from '#web/loan/document-names.ts'
import { useGenerate } from '#web/loan/generate-document.tsx'
import { getLeadId } from '#web/loan/loan-queries.ts'

/** The period of a document, as in the query: a financial year, or days that may be left open. */
export type PeriodQuery = { financial_year?: string; from?: Day; to?: Day }

/** A document for which the borrower chooses the period. */
export type DocumentOfPeriod = 'statement_of_account' | 'interest_certificate'

export const hasPeriod = (type: GeneratedDocumentType): type is DocumentOfPeriod =>
  type === 'statement_of_account' || type === 'interest_certificate'

/** Generates and saves a document; each place that offers one has its own progress and failure. */
export function useDownload(loan: Loan, type: GeneratedDocumentType) {
  const { i18n } = useLingui()
  const language = useLanguage()
  const generate = useGenerate()
  const download = (period: PeriodQuery = {}, onSuccess?: () => void): void =>
    generate.mutate(
      {
        query: { lead_id: getLeadId(loan), doc_type: type, language, ...period },
        filename: buildFilename(i18n._(documentTypeText[type]), loan.as_of),
      },
      { ...(onSuccess && { onSuccess }) },
    )
  return { generate, download }
}
