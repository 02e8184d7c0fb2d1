import type { readDocuments as call } from '#contract/documents.ts'
import { defineReading } from '../http/reading.ts'
import { loansOfBorrower } from '../loans/loan-store.ts'
import { selectOwnLoan } from '../loans/own-loan.ts'
import { documentsOfBorrower } from './document-store.ts'
import { documentOnWire } from './documents-on-wire.ts'

/** Reads the loan's uploads, newest first. */
export const readDocuments = defineReading<typeof call>()(
  (borrowerId) => [loansOfBorrower.with({ borrowerId }), documentsOfBorrower.with({ borrowerId })],
  (_context, _caller, { query }, [loans, documents]) => {
    const { loan_id: loanId } = selectOwnLoan(loans, query.lead_id)
    return { documents: documents.filter(({ loan_id }) => loan_id === loanId).map(documentOnWire) }
  },
)
