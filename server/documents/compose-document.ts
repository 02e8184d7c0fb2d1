import type { generateDocument as call } from '#contract/documents.ts'
import { dayInIndia, financialYear, financialYearDays, quoteDay, type Day } from '#domain/calendar.ts'
import { refuseDocument, type DocumentRefusal } from '#domain/documents.ts'
import { loanStateDuring, loanStateQuoted } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import { zeroPaise } from '#domain/money.ts'
import type { Config } from '../config/config.ts'
import type { Sql } from '../database/connect.ts'
import { Failure } from '../http/failure.ts'
import type { Request } from '../http/route.ts'
import { sumStartedPayments } from '../ledger/open-links-store.ts'
import { readOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { findProductTerms } from '../loans/product-store.ts'
import { isForEducation } from '../loans/product-terms.ts'
import { isMoneyGone } from '../payments/refunds/taken-back.ts'
import { isResolvedByPerson } from '../payments/review-store.ts'
import { composeClosureCertificate } from './content/closure-certificate.ts'
import { composeInterestCertificate } from './content/interest-certificate.ts'
import { fill, getWords, type DocumentSource, type ComposedDocument } from './content/document-source.ts'
import { composePayoffLetter, type Payoff } from './content/payoff-letter.ts'
import { composePaymentReceipt } from './content/payment-receipt.ts'
import { composeRepaymentSchedule } from './content/repayment-schedule.ts'
import { composeStatementOfAccount } from './content/statement-of-account.ts'
import { readReceipt } from './receipt.ts'
import { readDocumentBorrower, readStatementTransactions } from './statement-store.ts'

type Query = Request<typeof call>['query']

/**
 * Composes the current content of the requested document.
 *
 * @throws Failure NotFound, DocumentNotAvailable, or InvalidRequest for an invalid period or a
 * missing receipt number.
 */
export async function composeDocument(
  config: Config,
  sql: Sql,
  borrowerId: string,
  query: Query,
  now: Date,
): Promise<ComposedDocument & { loan: OwnLoan['loan']; today: Day; receiptNumber: string | null }> {
  const { loan, facts } = await readOwnLoan(sql, borrowerId, query.lead_id)
  const today = dayInIndia(now)
  const state = loanStateDuring(facts, today)
  const quotedFor = quoteDay(now)
  const offer = loanStateQuoted(facts, quotedFor, today).allowed.foreclosure
  const refusal = refuseDocument(query.doc_type, {
    status: state.status,
    canBePaidOff: offer !== null,
    hasSchedule: state.rows.length > 0,
  })
  if (refusal) throw notAvailable(refusal)
  if (await isOwedUnclear(sql, query, { loan, facts, state })) throw notAvailable('loan_unknown')
  const payoff =
    offer && query.doc_type === 'payoff_letter'
      ? {
          offer,
          quotedFor,
          startedPaise: await sumStartedPayments(sql, borrowerId, loan.loan_id),
          repaymentAccount: config.portal.repayment_account,
        }
      : null
  const language = query.language ?? config.portal.default_language
  const source: DocumentSource = {
    language,
    lender: buildLender(config, language),
    borrower: await readDocumentBorrower(sql, borrowerId),
    loan,
    facts,
    isForEducation: isForEducation(await findProductTerms(sql, loan)),
    state,
    ledger: await readStatementTransactions(sql, loan),
    today,
  }
  if (query.doc_type !== 'payment_receipt') return { loan, today, receiptNumber: null, ...composeFor(source, query, payoff) }
  const receiptNumber = receiptNumberIn(query)
  return { loan, today, receiptNumber, ...composePaymentReceipt(source, await readReceipt(sql, loan, source.ledger, receiptNumber)) }
}

/**
 * Whether money that counts for the loan, or that it refunded, is gone and under review: then
 * neither what closes the loan nor that it owes nothing may be promised.
 */
async function isOwedUnclear(
  sql: Sql,
  { doc_type: type }: Query,
  own: Pick<OwnLoan, 'loan' | 'facts'> & { state: LoanState },
): Promise<boolean> {
  if (type !== 'loan_closure_certificate' && type !== 'payoff_letter') return false
  if (await isMoneyGone(sql, own)) return true
  const { loan, state } = own
  if (type === 'payoff_letter' || state.refundShortPaise === zeroPaise) return false
  // The review may still be to come: it waits while a refund may leave (reportShortRefund).
  const about = `${loan.loan_id}:${state.refundShortPaise}`
  return !(await isResolvedByPerson(sql, { borrowerId: loan.borrower_id, kind: 'refund_short', about }))
}

function receiptNumberIn({ receipt_number: number }: Query): string {
  if (number === undefined) throw new Failure('InvalidRequest', 'receipt_number must name the receipt.', { field: 'receipt_number' })
  return number
}

function composeFor(source: DocumentSource, query: Query, payoff: Payoff | null): ComposedDocument {
  switch (query.doc_type) {
    case 'interest_certificate':
      return composeInterestCertificate(source, readFinancialYear(query, source.today))
    case 'repayment_schedule':
      return composeRepaymentSchedule(source)
    case 'loan_closure_certificate':
      return composeClosureCertificate(source)
    case 'payoff_letter':
      if (payoff) return composePayoffLetter(source, payoff)
      break
    case 'statement_of_account':
      return composeStatementOfAccount(source, ...readPeriod(query, source))
    case 'payment_receipt':
    case 'sanction_letter':
    case 'loan_agreement':
      break
  }
  throw new Failure('DocumentNotAvailable')
}

/** The requested period; by default from the first posting to today. */
function readPeriod(query: Query, { ledger, today }: DocumentSource): [from: Day, to: Day] {
  const to = query.to ?? today
  const beginning = ledger[0]?.valueDate ?? today
  const from = query.from ?? (beginning < to ? beginning : to)
  if (to > today) throw new Failure('InvalidRequest', 'to must not be in the future.', { field: 'to' })
  if (from > to) throw new Failure('InvalidRequest', 'from must not be later than to.', { field: 'from' })
  return [from, to]
}

function readFinancialYear(query: Query, today: Day): string {
  const year = query.financial_year ?? financialYear(today)
  const days = financialYearDays(year)
  if (!days || days.from > today)
    throw new Failure('InvalidRequest', 'financial_year must be a year that has started, such as 2026-27.', { field: 'financial_year' })
  return year
}

function buildLender({ portal }: Config, language: 'en' | 'hi'): DocumentSource['lender'] {
  const words = getWords(language)
  return {
    name: portal.brand.lender,
    lines: [
      portal.brand.lender_address,
      ...(portal.brand.lender_gstin === '' ? [] : [fill(words.gstin, { number: portal.brand.lender_gstin })]),
      fill(words.support, { phone: portal.support.phone, email: portal.support.email }),
      fill(words.grievance, { name: portal.grievance_officer.name, phone: portal.grievance_officer.phone }),
    ],
  }
}

const refusals: Readonly<Record<DocumentRefusal, string>> = {
  not_issued: 'This letter is not issued in the portal. Please ask support for it.',
  loan_not_closed: 'The closure certificate is issued once the loan is closed.',
  loan_unknown: 'What the loan owes is being checked. Please ask support for the document.',
  nothing_to_pay_off: 'The loan has nothing to pay off.',
  no_schedule: 'The loan has no schedule yet.',
}

const notAvailable = (refusal: DocumentRefusal) => new Failure('DocumentNotAvailable', refusals[refusal], { refusal })
