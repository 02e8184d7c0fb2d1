import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../caller.ts'
import { Failure, notFound } from '../http/failure.ts'
import { buildFacts } from '../loans/facts-store.ts'
import { ownLoanReads, requireBorrower } from '../loans/own-loan.ts'

/**
 * Refuses a borrower without a loan that takes documents before the form is read. The form names
 * the loan, which is checked after the upload.
 *
 * @throws Failure NotFound without a loan, LoanNotActive without an active one, LeadIdMissing if no
 * active loan has a lead id.
 */
export async function refuseWithoutActiveLoan({ clock, database }: Context, caller: Caller): Promise<void> {
  const borrowerId = requireBorrower(caller)
  const [loans, factRows] = await database.readAsBorrower(borrowerId, ownLoanReads(borrowerId))
  if (loans.length === 0) throw notFound()
  const facts = buildFacts(loans, factRows)
  const today = dayInIndia(clock.now())
  const active = loans.filter(({ loan_id }) => {
    const known = facts.get(loan_id)
    return known !== undefined && loanStateDuring(known, today).status === 'ACTIVE'
  })
  if (active.length === 0) throw new Failure('LoanNotActive', 'Documents can be uploaded for an active loan only.')
  if (active.every(({ lead_id }) => lead_id === null)) throw new Failure('LeadIdMissing')
}
