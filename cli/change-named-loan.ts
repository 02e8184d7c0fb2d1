import { changeLoan, type LoanChange, type LoanChangeContext, type LinkCancelOutcome } from '#server/loan-changes/change-loan.ts'
import { LinkOpenFailure } from '#server/loan-changes/change-refusals.ts'
import { findLoanKey } from '#server/loans/loan-store.ts'
import { KistError } from './command-error.ts'
import type { OperatorDesk } from './operator-context.ts'

/** A desk from which loans are changed. */
export type LoanDesk = OperatorDesk & Pick<LoanChangeContext, 'cancelLink'>

/** `--cancel-link`, in the help of every command that takes it. */
export const cancelLinkOption = [
  '--cancel-link',
  'cancel the open payment link of the loan first; without it the command is refused while one is open',
] as const

type NamedChange = Pick<LoanChange<string>, 'whileLinkOpen' | 'cancelLink' | 'dryRun' | 'write'>

/**
 * Changes one loan, named by its loan account number, in the name of the operator.
 *
 * @returns the line for the operator, with what became of an open payment link.
 * @throws KistError when no loan has the number, or its open payment link is in the way.
 */
export async function changeNamedLoan(desk: LoanDesk, lan: string, change: NamedChange): Promise<string> {
  const key = await desk.database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new KistError(`There is no loan ${lan}`)
  try {
    const changed = await changeLoan(desk, { ...change, ...key, actor: desk.operator })
    return changed.link === null ? changed.answer : `${changed.answer}; ${cancelReport(changed.link)}`
  } catch (error) {
    if (error instanceof LinkOpenFailure) throw new KistError(linkOpenSentence(lan, error.link))
    throw error
  }
}

function cancelReport({ kind, link: { reference } }: LinkCancelOutcome): string {
  switch (kind) {
    case 'closed':
      return `the open payment link ${reference} is cancelled`
    case 'paid':
      return `the open payment link ${reference} was paid meanwhile, and its money is on the loan`
    case 'open':
      return `the open payment link ${reference} is being paid and cannot be cancelled; its money will be applied`
    case 'unknown':
      return `the provider did not confirm that the open payment link ${reference} is cancelled; the portal's worker tries until it does`
  }
}

const linkOpenSentence = (lan: string, { reference, status, expires_at }: LinkOpenFailure['link']): string =>
  status === 'paid' || status === 'partially_paid'
    ? `Loan ${lan} has the open payment link ${reference}, whose money has arrived and is not on the loan yet: try again in a minute`
    : `Loan ${lan} has the open payment link ${reference}, which the borrower can pay until ${expires_at.toISOString()}: give --cancel-link, or wait`
