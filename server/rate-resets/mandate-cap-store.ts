import type { Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { executeTogether, statement } from '../database/statement.ts'

/** The mandates of a borrower's loans that debits are made by: paused ones can be resumed. */
export const mandateCapsOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('mandates')
    .select(['loan_id', 'max_amount_paise'])
    .where('borrower_id', '=', borrowerId)
    .where('status', 'in', ['active', 'paused']),
)

type MandateCap = { loan_id: string; max_amount_paise: Paise }

/** The largest debit that the mandate of a loan allows; null without a mandate. */
export const findMandateCap = (caps: readonly MandateCap[], loanId: string): Paise | null =>
  caps.find(({ loan_id }) => loan_id === loanId)?.max_amount_paise ?? null

/** Reads the same in an open transaction. */
export async function readMandateCap(sql: Sql, borrowerId: string, loanId: string): Promise<Paise | null> {
  const [caps] = await executeTogether(sql, [mandateCapsOfBorrower.with({ borrowerId })])
  return findMandateCap(caps, loanId)
}
