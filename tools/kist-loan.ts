import { logAccess, type OperatorAction } from '#server/access-log.ts'
import type { Sql } from '#server/database/connect.ts'
import { findLoanKey } from '#server/loans/loan-store.ts'
import { lockOwnLoan, type OwnLoan } from '#server/loans/own-loan.ts'
import { operatorDetail } from '#server/staff/operator.ts'
import { KistError } from './kist-error.ts'
import type { OperatorDesk } from './kist-operator.ts'

type Done<T> = { answer: T; action: OperatorAction; detail: Record<string, string | number | boolean | null> }

/**
 * Changes one loan: in one transaction, under its row lock, with a line in the access log. `work` answers null for `log` when
 * nothing changed.
 *
 * @throws KistError when no loan has the number.
 */
export async function changeLoan<T>(
  { database, clock, operator }: OperatorDesk,
  lan: string,
  work: (sql: Sql, own: OwnLoan, now: Date) => Promise<{ answer: T; log: null } | { answer: T; log: Omit<Done<T>, 'answer'> }>,
): Promise<T> {
  const key = await database.asSystem((sql) => findLoanKey(sql, lan))
  if (!key) throw new KistError(`There is no loan ${lan}`)
  return database.asBorrower(key.borrowerId, async (sql) => {
    const now = clock.now()
    const { answer, log } = await work(sql, await lockOwnLoan(sql, key.borrowerId, key.loanId), now)
    if (log)
      await logAccess(sql, {
        at: now,
        subjectId: key.borrowerId,
        actorId: operator.actorId,
        action: log.action,
        outcome: 'done',
        origin: null,
        detail: { lan, ...log.detail, ...operatorDetail(operator) },
      })
    return answer
  })
}
