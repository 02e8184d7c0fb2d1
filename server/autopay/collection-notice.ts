import { addNotice, type NewNotice } from '../add-notice.ts'
import type { CollectionTransaction } from './collection-transaction.ts'

type CollectionNotice = Omit<NewNotice, 'borrowerId' | 'lan'>

/** Adds a notice about a collection, with its amount and day unless others are given. */
export function addCollectionNotice(
  { sql, own, row, now }: Omit<CollectionTransaction, 'mandate'>,
  notice: CollectionNotice,
): Promise<void> {
  const { borrower_id: borrowerId, amount_paise: amountPaise, debit_on: date } = row
  return addNotice(sql, { borrowerId, lan: own.loan.lan, amountPaise, date, ...notice }, now)
}
