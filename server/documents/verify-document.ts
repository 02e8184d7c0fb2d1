import type { verifyDocument as call } from '#contract/documents.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { GeneratedDocumentType } from '#domain/documents.ts'
import { notFound } from '../http/failure.ts'
import type { Sql } from '../database/connect.ts'
import type { UseCase } from '../http/route.ts'
import { findReceiptByNumber, findReceiptCancellationTime } from '../ledger/receipt-store.ts'
import { findByCode } from './document-store.ts'
import { parseVerificationCode } from './ticket.ts'

/**
 * Describes the document with a code, for anyone who has it on paper. Codes cannot be forged or
 * guessed, so the call is public.
 */
export const verifyDocument: UseCase<typeof call> = async ({ database, config }, _caller, { query }) => {
  const code = parseVerificationCode(query.code)
  const found = code === null ? undefined : await database.asSystem((sql) => findByCode(sql, code))
  if (!found) throw notFound()
  const cancelledAt = await database.asSystem((sql) => readCancellation(sql, found))
  return {
    doc_type: found.doc_type as GeneratedDocumentType,
    lender: config.portal.brand.lender,
    amount: found.amount_paise,
    lan_ending: found.lan.slice(-4),
    issued_on: found.issued_on,
    cancelled_on: cancelledAt === null ? null : dayInIndia(cancelledAt),
    sha256: found.sha256.toString('hex'),
  }
}

async function readCancellation(
  sql: Sql,
  { borrower_id, receipt_number }: { borrower_id: string; receipt_number: string | null },
): Promise<Date | null> {
  const receipt = receipt_number === null ? undefined : await findReceiptByNumber(sql, borrower_id, receipt_number)
  return receipt ? findReceiptCancellationTime(sql, receipt) : null
}
