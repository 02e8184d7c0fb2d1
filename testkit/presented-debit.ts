import { uuidv7 } from 'uuidv7'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addCollection } from '#server/autopay/collection-store.ts'
import type { Database } from '#server/database/connect.ts'
import { queryOnce } from './query-once.ts'

/**
 * Presents a debit of a loan, without a mandate and hidden from every worker.
 *
 * @returns `remove`, for a test whose database must be in order afterwards.
 */
export async function presentDebit(
  { database, superuserUrl }: { database: Database; superuserUrl: string },
  { borrowerId, loanId }: { borrowerId: string; loanId: string },
  { now, expectedBy }: { now: Date; expectedBy: Date },
): Promise<{ remove(): Promise<unknown> }> {
  const collection_id = uuidv7()
  const day = toDay('2026-11-01')
  await database.asSystem(async (sql) => {
    await addCollection(
      sql,
      {
        borrower_id: borrowerId,
        loan_id: loanId,
        collection_id,
        mandate_id: uuidv7(),
        reference: `KC-${collection_id}`,
        due_on: day,
        attempt: 1,
        planned_by: 'system',
        first_debit_on: day,
        debit_on: day,
        amount_paise: rupeesToPaise(100),
        parts: '[]',
        next_check_at: new Date('2099-01-01T00:00:00Z'),
      },
      now,
    )
    await sql
      .updateTable('collections')
      .set({ status: 'presented', presented_at: now, value_date: day, expected_by: expectedBy })
      .where('borrower_id', '=', borrowerId)
      .where('collection_id', '=', collection_id)
      .execute()
  })
  return { remove: () => queryOnce(superuserUrl, `delete from collections where collection_id = '${collection_id}'`) }
}
