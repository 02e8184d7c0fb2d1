import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paiseToRupees } from '#domain/money.ts'
import type { Clock } from '../config/clock.ts'
import type { Database } from '../database/connect.ts'
import { Failure } from '../http/failure.ts'
import type { LinkRow, PresentedDebitRow } from '../ledger/open-links-store.ts'
import { readOwnLoanById } from '../loans/own-loan.ts'

/** A change of the loan must wait for the end of its open payment link (decision 53). */
export class LinkOpenFailure extends Failure {
  readonly link: LinkRow
  constructor(link: LinkRow) {
    super(
      'LinkOpen',
      `The loan has the open payment link ${link.reference}, which the borrower can still pay. Cancel it with cancel_link, or wait for its end.`,
      { payment_link_id: link.payment_link_id, expires_at: link.expires_at.toISOString() },
    )
    this.link = link
  }
}

/** A presented debit cannot be cancelled, so everything else waits (decision 53). */
export const debitInProgress = ({ expected_by }: PresentedDebitRow, now: Date): Failure =>
  new Failure(
    'AutopayInProgress',
    'A debit of this loan is in progress at the bank. Wait for its outcome, so that nothing is paid twice.',
    {
      ...(expected_by !== null && expected_by > now && { expected_by: expected_by.toISOString() }),
    },
  )

/**
 * The link was paid before it could be cancelled. The failure contains the loan's new figures,
 * because the caller decided with the old ones.
 */
export async function linkPaidFailure({ database, clock }: { database: Database; clock: Clock }, link: LinkRow): Promise<Failure> {
  const { facts } = await database.asBorrower(link.borrower_id, (sql) => readOwnLoanById(sql, link.borrower_id, link.loan_id))
  const { status, duesPaise, principalOutstandingPaise, creditPaise } = loanStateDuring(facts, dayInIndia(clock.now()))
  return new Failure(
    'LinkPaid',
    `The borrower paid the payment link ${link.reference} before it could be cancelled. Its money is on the loan; nothing else was changed. Look at the new figures and decide again.`,
    {
      payment_link: { payment_link_id: link.payment_link_id ?? '', status: link.status },
      loan: {
        loan_status: status,
        dues: paiseToRupees(duesPaise),
        principal_outstanding: paiseToRupees(principalOutstandingPaise),
        credit: paiseToRupees(creditPaise),
      },
    },
  )
}

/** The provider did not confirm that the link is cancelled. */
export const providerUnavailable = (): Failure =>
  new Failure('PaymentGatewayUnavailable', 'The payment provider cannot be reached. Nothing was changed; please try again.')
