import type { ResponseOf } from '#contract/endpoint.ts'
import { operationsLinksMax, type readOperationsLoan as call } from '#contract/operations.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { borrowerForStaff, findUserById, type UserRow } from '../auth/user-store.ts'
import type { Config } from '../config/config.ts'
import type { Sql } from '../database/connect.ts'
import { executeTogether } from '../database/statement.ts'
import { documentsOfBorrower } from '../documents/document-store.ts'
import { documentOnWire } from '../documents/documents-on-wire.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { isOpenLink } from '../ledger/open-links-store.ts'
import { allowedOnWire, computeTrancheMaximum, loanOnWire, rowOnWire } from '../loans/loan-on-wire.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { offerAt } from '../loans/offer.ts'
import { type OwnLoan, readOwnLoanById } from '../loans/own-loan.ts'
import { listShownLinks } from '../payments/links/link-store.ts'
import { readTrail } from '../payments/views/read-payment-trail.ts'
import { buildStaffAccess, staffAccessReads } from '../staff/read-staff-access.ts'
import { buildTranches } from '../tranches/read-tranches.ts'
import { findTranches, readDisbursals } from '../tranches/tranche-store.ts'
import { isSamePerson } from './four-eyes.ts'
import { readFactsOnWire, readLedgerOnWire } from './loan-record.ts'
import { readAndLog } from './log-read.ts'
import { listLoanProposals } from './proposal-list-store.ts'
import { proposalsOnWire } from './proposal-on-wire.ts'

type Answer = ResponseOf<typeof call>

/**
 * Reads one loan as its borrower sees it, with its record. The read is an entry in the borrower's
 * access log with the reader's name, which the borrower sees (decision 62).
 */
export const readOperationsLoan: UseCase<typeof call> = (context, caller, { params, origin }) =>
  readAndLog(context, caller, { call: 'readOperationsLoan', origin }, async (sql, now) => {
    const key = await findLoanKey(sql, params.lan)
    if (!key) throw notFound()
    const reader = await findUserById(sql, caller.actorId)
    const borrower = await findUserById(sql, key.borrowerId)
    if (!reader || !borrower) throw notFound()
    const own = await readOwnLoanById(sql, key.borrowerId, key.loanId)
    return { answer: await buildAnswer(sql, own, { borrower, reader, staff: context.config.staff, now }), about: own.loan, reader }
  })

async function buildAnswer(
  sql: Sql,
  own: OwnLoan,
  { borrower, reader, staff, now }: { borrower: UserRow; reader: UserRow; staff: Config['staff']; now: Date },
): Promise<Answer> {
  const { loan, facts } = own
  const borrowerId = loan.borrower_id
  const today = dayInIndia(now)
  const state = loanStateDuring(facts, today)
  const requested = await findTranches(sql, loan)
  const maximumPaise = computeTrancheMaximum(loan, state.disbursedPaise, requested)
  const ofTranches = { status: state.status, facts, maximumPaise, today }
  const [documents] = await executeTogether(sql, [documentsOfBorrower.with({ borrowerId })])
  const proposals = await listLoanProposals(sql, borrowerId, loan.loan_id)
  return {
    borrower: borrowerForStaff(borrower, staff),
    loan: loanOnWire(loan, facts, state, today, maximumPaise),
    repayment_schedule: state.rows.map(rowOnWire),
    allowed_payments: allowedOnWire(offerAt(facts, now, state), now),
    tranches: buildTranches(loan, requested, await readDisbursals(sql, loan), ofTranches),
    documents: documents.filter(({ loan_id }) => loan_id === loan.loan_id).map(documentOnWire),
    facts: await readFactsOnWire(sql, own, state, today),
    ledger: await readLedgerOnWire(sql, loan),
    links: await readLinks(sql, own, state),
    proposals: await proposalsOnWire(sql, proposals, { actorId: reader.user_id, now }),
    staff_actions: buildStaffAccess(await executeTogether(sql, staffAccessReads(borrowerId)), now),
    is_own: isSamePerson(reader, borrower),
  }
}

async function readLinks(sql: Sql, own: OwnLoan, state: LoanState): Promise<Answer['links']> {
  const links = await listShownLinks(sql, own.loan.borrower_id, own.loan.loan_id, operationsLinksMax)
  const shown: Answer['links'] = []
  for (const link of links) {
    const { payment_link, steps } = await readTrail(sql, own, link, state)
    shown.push({ payment_link, steps, is_open: isOpenLink(link) })
  }
  return shown
}
