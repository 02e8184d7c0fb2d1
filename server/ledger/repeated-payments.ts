import type { Sql } from '../database/connect.ts'
import { findBySource, isReversed } from './ledger-store.ts'

/**
 * The source id under which a payment is posted for the nth time, after its reversals. No reference
 * contains a space (contract/identifier.ts), so it is never the reference of another payment.
 */
const formatTimes = (reference: string, times: number): string => (times === 1 ? reference : `${reference} #${times}`)

/** The reference as the bank and the borrower know it. */
export const toPlainReference = (sourceId: string): string => sourceId.replace(/ #\d+$/, '')

/**
 * The borrower's payment with a reference that is not reversed, on any loan; undefined if there is
 * none. `sourceId`: its source id, or the one under which it can be posted.
 */
export async function findCountedPayment(sql: Sql, borrowerId: string, source: string, reference: string) {
  for (let times = 1; ; times += 1) {
    const sourceId = formatTimes(reference, times)
    const posted = await findBySource(sql, borrowerId, source, sourceId)
    if (posted === undefined || !(await isReversed(sql, borrowerId, posted))) return { sourceId, posted }
  }
}
