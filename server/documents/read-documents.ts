import type { readDocuments as call } from '#contract/documents.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower, findOwnLoan } from '../loans/own-loan.ts'
import { findDocuments } from './document-store.ts'
import { documentOnWire } from './documents-on-wire.ts'

/** Reads the loan's uploads, newest first. */
export const readDocuments: UseCase<typeof call> = async ({ database }, caller, { query }) => {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const loan = await findOwnLoan(sql, borrowerId, query.lead_id)
    return { documents: (await findDocuments(sql, loan)).map(documentOnWire) }
  })
}
