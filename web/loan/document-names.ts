import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { GeneratedDocumentType, LoanPaper, UploadedDocumentType } from '#domain/documents.ts'

/** The names of generated documents, on screen and in file names. */
export const documentTypeText: Record<GeneratedDocumentType, MessageDescriptor> = {
  statement_of_account: msg`Statement of account`,
  interest_certificate: msg`Interest certificate`,
  repayment_schedule: msg`Repayment schedule`,
  payoff_letter: msg`Payoff letter`,
  loan_closure_certificate: msg`Loan closure certificate`,
  sanction_letter: msg`Sanction letter`,
  loan_agreement: msg`Loan agreement`,
  payment_receipt: msg`Payment receipt`,
}

/** The papers of a loan. */
export const paperText: Record<LoanPaper, MessageDescriptor> = {
  kfs: msg`Key facts statement`,
  sanction_letter: msg`Sanction letter`,
  agreement: msg`Loan agreement`,
  schedule_of_charges: msg`Schedule of charges`,
}

export const uploadTypeText: Record<UploadedDocumentType, MessageDescriptor> = { Transcript: msg`Transcript`, Others: msg`Others` }
