import { findUserByPhone } from '#server/auth/user-store.ts'
import { listMandates } from '#server/autopay/mandate-store.ts'
import type { Context } from '#server/context.ts'
import { readLoans } from '#server/loans/loan-store.ts'
import { addDemoMandate } from '#testkit/demo-mandate.ts'
import { demoPhone } from '#testkit/demo-town.ts'

/**
 * Adds the mandate of the demo's borrower 15, unless there has been one: it is not added again
 * after it has ended, and not where the database has no demo town.
 */
export async function addMissingDemoMandate(context: Context, sandboxUrl: string): Promise<void> {
  const { database } = context
  const user = await database.asSystem((sql) => findUserByPhone(sql, demoPhone(15)))
  if (!user) return
  const isMissing = await database.asBorrower(user.user_id, async (sql) => {
    const [loan] = await readLoans(sql, user.user_id)
    return loan !== undefined && (await listMandates(sql, user.user_id, loan.loan_id)).length === 0
  })
  if (isMissing) await addDemoMandate(context, sandboxUrl)
}
