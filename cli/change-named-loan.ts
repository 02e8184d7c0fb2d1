import { changeLoan, type LoanChange, type LoanChangeContext, type LinkCancelOutcome } from '#server/loan-changes/change-loan.ts'
import { LinkOpenFailure } from '#server/loan-changes/change-refusals.ts'
import { findLoanKey } from '#server/loans/loan-store.ts'
import { CommandError } from './command-error.ts'
import type { OperatorContext } from './operator-context.ts'

/** An operator context that can change loans. */
export type LoanContext = OperatorContext & Pick<LoanChangeContext, 'cancelLink'>

/** The option `--cancel-link` and its help. */
export const cancelLinkOption = [
  '--cancel-link',
  'cancel the open payment link of the loan first; without it an open link refuses the command',
] as const

type NamedChange = Pick<LoanChange<string>, 'whileLinkOpen' | 'cancelLink' | 'dryRun' | 'write'>

/**
 * Changes the loan with this loan account number as the operator.
 *
 * @returns the line for the operator, with the outcome for an open payment link.
 * @throws CommandError for an unknown number or an open payment link.
 */
export async function changeNamedLoan(context: LoanContext, lan: string, change: NamedChange): Promise<string> {
  const key = await context.database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new CommandError(`There is no loan ${lan}`)
  try {
    const changed = await changeLoan(context, { ...change, ...key, actor: context.operator })
    return changed.link === null ? changed.answer : `${changed.answer}; ${cancelReport(changed.link)}`
  } catch (error) {
    if (error instanceof LinkOpenFailure) throw new CommandError(linkOpenSentence(lan, error.link))
    throw error
  }
}

function cancelReport({ kind, link: { reference } }: LinkCancelOutcome): string {
  switch (kind) {
    case 'closed':
      return `the open payment link ${reference} is cancelled`
    case 'paid':
      return `the open payment link ${reference} was paid meanwhile, and its payment is posted`
    case 'open':
      return `the open payment link ${reference} is being paid and cannot be cancelled; its money will be applied`
    case 'unknown':
      return `the provider did not confirm that the open payment link ${reference} is cancelled; the worker retries until it does`
  }
}

const linkOpenSentence = (lan: string, { reference, status, expires_at }: LinkOpenFailure['link']): string =>
  status === 'paid' || status === 'partially_paid'
    ? `Loan ${lan} has the open payment link ${reference}, whose money has arrived and is not on the loan yet: try again in a minute`
    : `Loan ${lan} has the open payment link ${reference}, which the borrower can pay until ${expires_at.toISOString()}: give --cancel-link, or wait`
