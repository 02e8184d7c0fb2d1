import type { generateDocument as call } from '#contract/documents.ts'
import { dayInIndia, financialYear, financialYearDays, quoteDay, type Day } from '#domain/calendar.ts'
import { refuseDocument, type DocumentRefusal } from '#domain/documents.ts'
import { loanStateDuring, loanStateQuoted } from '#domain/loan-state.ts'
import type { Config } from '../config/config.ts'
import type { Sql } from '../database/connect.ts'
import { Failure } from '../http/failure.ts'
import type { Request } from '../http/route.ts'
import { readOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { closurePaper } from './papers/closure-paper.ts'
import { interestPaper } from './papers/interest-paper.ts'
import { fill, wordsOf, type PaperSource, type UnverifiedDocument } from './papers/paper-source.ts'
import { payoffPaper } from './papers/payoff-paper.ts'
import { receiptPaper } from './papers/receipt-paper.ts'
import { schedulePaper } from './papers/schedule-paper.ts'
import { statementPaper } from './papers/statement-paper.ts'
import { readReceipt } from './receipt.ts'
import { readPaperBorrower, statementOf } from './statement-store.ts'

type Query = Request<typeof call>['query']

/**
 * What the document asked for says now.
 *
 * @throws Failure NotFound, DocumentNotAvailable, or InvalidRequest for a period that is none or a receipt that is not named.
 */
export async function writePaper(
  config: Config,
  sql: Sql,
  borrowerId: string,
  query: Query,
  now: Date,
): Promise<{ loan: OwnLoan['loan']; paper: UnverifiedDocument; today: Day; receiptNumber: string | null }> {
  const { loan, facts } = await readOwnLoan(sql, borrowerId, query.lead_id)
  const today = dayInIndia(now)
  const state = loanStateDuring(facts, today)
  const quotedFor = quoteDay(now)
  const payoff = loanStateQuoted(facts, quotedFor, today).allowed.foreclosure
  const refusal = refuseDocument(query.doc_type, {
    status: state.status,
    canBePaidOff: payoff !== null,
    hasSchedule: state.rows.length > 0,
  })
  if (refusal) throw new Failure('DocumentNotAvailable', refusals[refusal])
  const language = query.language ?? config.portal.default_language
  const source: PaperSource = {
    language,
    lender: lenderOf(config, language),
    borrower: await readPaperBorrower(sql, borrowerId),
    loan,
    facts,
    state,
    ledger: await statementOf(sql, loan),
    today,
  }
  if (query.doc_type !== 'payment_receipt') return { loan, today, receiptNumber: null, paper: paperFor(source, query, payoff, quotedFor) }
  const receiptNumber = receiptNumberIn(query)
  return { loan, today, receiptNumber, paper: receiptPaper(source, await readReceipt(sql, loan, source.ledger, receiptNumber)) }
}

function receiptNumberIn({ receipt_number: number }: Query): string {
  if (number === undefined) throw new Failure('InvalidRequest', 'receipt_number must name the receipt.', { field: 'receipt_number' })
  return number
}

function paperFor(source: PaperSource, query: Query, payoff: Parameters<typeof payoffPaper>[1] | null, quotedFor: Day): UnverifiedDocument {
  switch (query.doc_type) {
    case 'interest_certificate':
      return interestPaper(source, yearOf(query, source.today))
    case 'repayment_schedule':
      return schedulePaper(source)
    case 'loan_closure_certificate':
      return closurePaper(source)
    case 'payoff_letter':
      if (payoff) return payoffPaper(source, payoff, quotedFor)
      break
    case 'statement_of_account':
      return statementPaper(source, ...periodOf(query, source))
    case 'payment_receipt':
    case 'sanction_letter':
    case 'loan_agreement':
      break
  }
  throw new Failure('DocumentNotAvailable')
}

/** From the first posting to today where nothing is said. */
function periodOf(query: Query, { ledger, today }: PaperSource): [from: Day, to: Day] {
  const to = query.to ?? today
  const beginning = ledger[0]?.valueDate ?? today
  const from = query.from ?? (beginning < to ? beginning : to)
  if (to > today) throw new Failure('InvalidRequest', 'to must not lie ahead.', { field: 'to' })
  if (from > to) throw new Failure('InvalidRequest', 'from must not be later than to.', { field: 'from' })
  return [from, to]
}

function yearOf(query: Query, today: Day): string {
  const year = query.financial_year ?? financialYear(today)
  const days = financialYearDays(year)
  if (!days || days.from > today)
    throw new Failure('InvalidRequest', 'financial_year must be one that has begun, such as 2026-27.', { field: 'financial_year' })
  return year
}

function lenderOf({ portal }: Config, language: 'en' | 'hi'): PaperSource['lender'] {
  const words = wordsOf(language)
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
  nothing_to_pay_off: 'The loan has nothing to pay off.',
  no_schedule: 'The loan has no schedule yet.',
}
