import { useLingui } from '@lingui/react/macro'
import type { GeneratedDocumentType, UploadedDocumentType } from '#domain/documents.ts'

export function useDocumentTypeTexts(): Record<UploadedDocumentType, string> {
  const { t } = useLingui()
  return { Transcript: t`Transcript`, Others: t`Others` }
}

/** What a document we write is called: on screen, and in the name of the file. */
export function useGeneratedLabels(): Record<GeneratedDocumentType, string> {
  const { t } = useLingui()
  return {
    statement_of_account: t`Statement of account`,
    interest_certificate: t`Interest certificate`,
    repayment_schedule: t`Repayment schedule`,
    payoff_letter: t`Payoff letter`,
    loan_closure_certificate: t`Loan closure certificate`,
    sanction_letter: t`Sanction letter`,
    loan_agreement: t`Loan agreement`,
    payment_receipt: t`Payment receipt`,
  }
}
