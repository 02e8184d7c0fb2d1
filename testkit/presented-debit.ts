import { uuidv7 } from 'uuidv7'
import { toDay } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { addCollection } from '#server/autopay/collection-store.ts'
import type { Database } from '#server/database/connect.ts'

/**
 * Presents a debit of a loan, without a mandate and hidden from every worker, until `end` fails it.
 */
export async function presentDebit(
  database: Database,
  loan: { borrowerId: string; loanId: string },
  { now, expectedBy }: { now: Date; expectedBy: Date },
): Promise<{ end(): Promise<void> }> {
  const collection_id = uuidv7()
  const day = toDay('2026-11-01')
  const update = (change: {
    status: string
    presented_at?: Date
    value_date?: typeof day
    expected_by?: Date
    ended_at?: Date
    failure_class?: string
  }) =>
    database.asSystem((sql) =>
      sql
        .updateTable('collections')
        .set(change)
        .where('borrower_id', '=', loan.borrowerId)
        .where('collection_id', '=', collection_id)
        .execute(),
    )
  await database.asSystem((sql) =>
    addCollection(
      sql,
      {
        borrower_id: loan.borrowerId,
        loan_id: loan.loanId,
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
    ),
  )
  await update({ status: 'presented', presented_at: now, value_date: day, expected_by: expectedBy })
  return { end: () => update({ status: 'failed', ended_at: now, failure_class: 'funds' }) }
}
