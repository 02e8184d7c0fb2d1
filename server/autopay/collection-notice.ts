import { addNotice, type NewNotice } from '../add-notice.ts'
import type { Sql } from '../database/connect.ts'
import type { CollectionRow } from './collection-store.ts'

type Subject = { sql: Sql; lan: string; row: CollectionRow; now: Date }

/** Adds a notice about a collection, with its amount and day unless others are given. */
export const addCollectionNotice = ({ sql, lan, row, now }: Subject, notice: Omit<NewNotice, 'borrowerId' | 'lan'>): Promise<void> =>
  addNotice(sql, { borrowerId: row.borrower_id, lan, amountPaise: row.amount_paise, date: row.debit_on, ...notice }, now)
