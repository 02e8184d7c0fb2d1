import { logAccess, type AccessEntry } from '../access-log.ts'
import type { Sql } from '../database/connect.ts'

/**
 * Who changes something for the lender, and the reason: a person at the operator's tool or in
 * operations, or a process of Kist.
 */
export type Operator = {
  /**
   * The staff member's user id, or `operator` if nobody is named. The ledger, the histories and the
   * access log store it.
   */
  actorId: string
  /** First and last name, for the access log and the process log. */
  name: string
  /** Null without a reason. */
  reason: string | null
}

/** The operator of a command outside production without `--as`. */
export const unnamedOperator = (reason: string | null = null): Operator => ({ actorId: 'operator', name: 'operator (not named)', reason })

/** The operator's details in an access log entry, in addition to `actor_id`. */
export const operatorDetail = ({ name, reason }: Operator): { operator: string; reason?: string } => ({
  operator: name,
  ...(reason !== null && { reason }),
})

type OperatorAct = Pick<AccessEntry, 'at' | 'subjectId' | 'action' | 'detail'>

/** The access log entry of what an operator has done. */
export const operatorEntry = (operator: Operator, { detail, ...entry }: OperatorAct): AccessEntry => ({
  ...entry,
  actorId: operator.actorId,
  outcome: 'done',
  origin: null,
  detail: { ...detail, ...operatorDetail(operator) },
})

/** Logs what an operator has done, as {@link logAccess}. */
export const logOperatorAct = (sql: Sql, operator: Operator, act: OperatorAct): Promise<void> =>
  logAccess(sql, operatorEntry(operator, act))
