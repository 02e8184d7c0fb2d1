import type { verifyDocument as call } from '#contract/documents.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { findClosingDay } from '#domain/loan-closing.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { isTakenBack, isWaiver, sumPaidByCharge, type Charge } from '#domain/loans.ts'
import { zeroPaise } from '#domain/money.ts'
import { notFound } from '../http/failure.ts'
import type { Sql } from '../database/connect.ts'
import type { UseCase } from '../http/route.ts'
import { findReopeningTime } from '../ledger/ledger-store.ts'
import { findReceiptByNumber, findReceiptCancellationTime } from '../ledger/receipt-store.ts'
import { readOwnLoanById } from '../loans/own-loan.ts'
import { findByCode } from './document-store.ts'
import { parseVerificationCode } from './ticket.ts'

/**
 * Describes the document with a code, for anyone who has it on paper. Codes cannot be forged or
 * guessed, so the call is public.
 */
export const verifyDocument: UseCase<typeof call> = async ({ database, config, clock }, _caller, { query }) => {
  const code = parseVerificationCode(query.code)
  const found = code === null ? undefined : await database.asSystem((sql) => findByCode(sql, code))
  if (!found) throw notFound()
  const { issuedOn, cancelledAt } = await database.asSystem((sql) => readValidity(sql, found, clock.now()))
  return {
    doc_type: found.doc_type,
    lender: config.portal.brand.lender,
    // Interest certificates of earlier versions could state interest below zero.
    amount: found.amount_paise !== null && found.amount_paise < zeroPaise ? null : found.amount_paise,
    lan_ending: found.lan.slice(-4),
    issued_on: issuedOn,
    cancelled_on: cancelledAt === null ? null : dayInIndia(cancelledAt),
    sha256: found.sha256.toString('hex'),
  }
}

type Verified = NonNullable<Awaited<ReturnType<typeof findByCode>>>

/**
 * The day that is printed on the document, and since when a receipt or a closure certificate is not
 * valid; null while it is. A receipt names the day on which it was issued, whenever it is printed.
 */
async function readValidity(sql: Sql, found: Verified, now: Date): Promise<{ issuedOn: Day; cancelledAt: Date | null }> {
  const { doc_type, borrower_id, receipt_number, issued_on: issuedOn } = found
  if (doc_type === 'loan_closure_certificate') return { issuedOn, cancelledAt: await readReopening(sql, found, now) }
  const receipt = receipt_number === null ? undefined : await findReceiptByNumber(sql, borrower_id, receipt_number)
  if (!receipt) return { issuedOn, cancelledAt: null }
  return { issuedOn: dayInIndia(receipt.issued_at), cancelledAt: await findReceiptCancellationTime(sql, receipt) }
}

/**
 * Since when a closed loan is not closed any more, or was not for a time: the first posting after
 * the certificate that can have opened it. What later moves within the loan opens nothing, and
 * neither does a charge that was added in error and waived, or paid and taken back.
 */
async function readReopening(sql: Sql, { borrower_id, loan_id, issued_on, created_at }: Verified, now: Date): Promise<Date | null> {
  const { facts } = await readOwnLoanById(sql, borrower_id, loan_id)
  const state = loanStateDuring(facts, dayInIndia(now))
  const isWaivedSince = ({ waivedOn }: Charge) => waivedOn !== null && waivedOn > issued_on
  const charges = facts.charges.filter((charge) => !isWaivedSince(charge))
  const adjustments = state.adjustments.filter(({ date, reason }) => date <= issued_on || isWaiver(reason))
  const closedOn = findClosingDay({ ...facts, charges }, { ...state, adjustments })
  if (state.status === 'UNKNOWN' || (state.status === 'CLOSED' && (closedOn === null || closedOn <= issued_on))) return null
  const paid = sumPaidByCharge(state)
  const isWaived = ({ chargeId, waivedOn }: Charge) => waivedOn !== null && (paid.get(chargeId) ?? 0n) === 0n
  const idsOf = (isMeant: (charge: Charge) => boolean) => facts.charges.filter(isMeant).map(({ chargeId }) => chargeId)
  const besides = { waived: idsOf(isWaived), takenBack: idsOf(isTakenBack) }
  return (await findReopeningTime(sql, { borrower_id, loan_id }, created_at, besides)) ?? created_at
}
