import { addMonths, dayOfMonth, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { logAccess } from '../access-log.ts'
import type { Sql } from '../database/connect.ts'
import { factsOf } from '../loans/facts-store.ts'
import { loansOf } from '../loans/loan-store.ts'
import { operatorDetail, type Operator } from '../staff/operator.ts'
import { eraseIdentity, eraseUnretainedData, hasOpenApplication, lastPostings, personalValuesOf } from './person-store.ts'

/**
 * From the last movement of money on a loan its records, and whose they are, are kept so long: books of account eight years (Companies
 * Act 2013 §128), identification five years after the relation ends (PMLA 2002 §12).
 */
const holdYears = 8

export type Erasure =
  /** A loan or an application is under way: nothing was erased. */
  | { kind: 'refused'; why: string }
  /** What no law asks for is gone; the rest can go after that day. */
  | { kind: 'held'; until: Day; loans: number }
  | { kind: 'erased'; loans: number }

export type Erasing = { userId: string; operator: Operator; now: Date; today: Day }

/**
 * Erases of a borrower what may be erased today, in the caller's transaction, with a line in the access log. Asked again, it does no more.
 *
 * @returns with `storageKeys`: the documents whose bytes the caller removes once the transaction is committed.
 */
export async function erasePerson(
  sql: Sql,
  { userId, operator, now, today }: Erasing,
): Promise<Erasure & { storageKeys: readonly string[] }> {
  if (await hasOpenApplication(sql, userId)) return { kind: 'refused', why: 'an application is being decided', storageKeys: [] }
  const loans = await loansOf(sql, userId)
  const facts = await factsOf(sql, userId, loans)
  for (const { loan_id, lan } of loans) {
    const known = facts.get(loan_id)
    if (!known || loanStateDuring(known, today).status !== 'CLOSED')
      return { kind: 'refused', why: `loan ${lan} is not closed`, storageKeys: [] }
  }
  const ends = (await lastPostings(sql, userId)).map(({ last_on }) => endOfHold((last_on ?? today) as Day))
  const until = ends.sort().at(-1)
  const erasure: Erasure =
    until !== undefined && until > today ? { kind: 'held', until, loans: loans.length } : { kind: 'erased', loans: loans.length }
  const values = await personalValuesOf(sql, userId)
  await eraseUnretainedData(sql, userId, values, now)
  const storageKeys = erasure.kind === 'erased' ? await eraseIdentity(sql, userId, values, now) : []
  await logAccess(sql, {
    at: now,
    subjectId: userId,
    actorId: operator.actorId,
    action: 'person_erased',
    outcome: 'done',
    origin: null,
    detail: { ...erasure, ...operatorDetail(operator) },
  })
  return { ...erasure, storageKeys }
}

const endOfHold = (last: Day): Day => addMonths(last, holdYears * 12, dayOfMonth(last))
