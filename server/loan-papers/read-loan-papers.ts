import type { readLoanPapers as call } from '#contract/loan-papers.ts'
import { defineReading } from '../http/reading.ts'
import { loansOfBorrower } from '../loans/loan-store.ts'
import { selectOwnLoan } from '../loans/own-loan.ts'
import { paperOnWire } from './paper-on-wire.ts'
import { papersOfBorrower } from './paper-store.ts'

/** Reads the loan's published papers, newest first. */
export const readLoanPapers = defineReading<typeof call>()(
  (borrowerId) => [loansOfBorrower.with({ borrowerId }), papersOfBorrower.with({ borrowerId })],
  (_context, _caller, { query }, [loans, papers]) => {
    const { loan_id: loanId } = selectOwnLoan(loans, query.application_id)
    return { loan_papers: papers.filter(({ loan_id }) => loan_id === loanId).map(paperOnWire) }
  },
)
