import { debitMaximum, type AutopayRules, type MandateMethod } from '#domain/autopay.ts'
import type { Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { executeTogether, statement } from '../database/statement.ts'

/** The mandates of a borrower's loans that debits are made by: paused ones can be resumed. */
export const mandateCapsOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('mandates')
    .select(['loan_id', 'method', 'max_amount_paise'])
    .$narrowType<{ method: MandateMethod }>()
    .where('borrower_id', '=', borrowerId)
    .where('status', 'in', ['active', 'paused']),
)

type MandateCap = { loan_id: string; method: MandateMethod; max_amount_paise: Paise }

/** The largest debit by the mandate of a loan; null without a mandate. */
export function findDebitLimit(caps: readonly MandateCap[], loanId: string, rules: AutopayRules): Paise | null {
  const cap = caps.find(({ loan_id }) => loan_id === loanId)
  return cap === undefined ? null : debitMaximum({ method: cap.method, maximumPaise: cap.max_amount_paise }, rules)
}

/** Reads the same in an open transaction. */
export async function readDebitLimit(sql: Sql, borrowerId: string, loanId: string, rules: AutopayRules): Promise<Paise | null> {
  const [caps] = await executeTogether(sql, [mandateCapsOfBorrower.with({ borrowerId })])
  return findDebitLimit(caps, loanId, rules)
}
