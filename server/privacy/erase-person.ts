import { addMonths, dayOfMonth, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { Sql } from '../database/connect.ts'
import { readFacts } from '../loans/facts-store.ts'
import { readLoans } from '../loans/loan-store.ts'
import { logOperatorAct, type Operator } from '../staff/operator.ts'
import { eraseIdentity, eraseUnretainedData, hasOpenApplication, readLastPostings, readPersonalValues } from './person-store.ts'

/**
 * How long a loan's records and identities are retained after its last posting: books of account
 * eight years (Companies Act 2013 §128), identification five years after the relation ends (PMLA
 * 2002 §12).
 */
const retentionYears = 8

type Erasure =
  /** A loan or an application is open: nothing was erased. */
  | { kind: 'refused'; why: string }
  /** Data without a retention duty is erased; the rest can be erased after `until`. */
  | { kind: 'held'; until: Day; loans: number }
  | { kind: 'erased'; loans: number }

type ErasureOptions = { userId: string; operator: Operator; now: Date; today: Day }

/**
 * Erases the data of a borrower that may be erased today, in the caller's transaction, with an
 * entry in the access log. A second call erases nothing more.
 *
 * @returns with `storageKeys`: the caller removes these objects after the commit.
 */
export async function erasePerson(
  sql: Sql,
  { userId, operator, now, today }: ErasureOptions,
): Promise<Erasure & { storageKeys: readonly string[] }> {
  if (await hasOpenApplication(sql, userId)) return { kind: 'refused', why: 'an application is being decided', storageKeys: [] }
  const loans = await readLoans(sql, userId)
  const facts = await readFacts(sql, loans)
  for (const { loan_id, lan } of loans) {
    const known = facts.get(loan_id)
    if (!known || loanStateDuring(known, today).status !== 'CLOSED')
      return { kind: 'refused', why: `loan ${lan} is not closed`, storageKeys: [] }
  }
  const ends = (await readLastPostings(sql, userId)).map(({ last_on }) => endOfRetention((last_on ?? today) as Day))
  const until = ends.sort().at(-1)
  const erasure: Erasure =
    until !== undefined && until > today ? { kind: 'held', until, loans: loans.length } : { kind: 'erased', loans: loans.length }
  const values = await readPersonalValues(sql, userId)
  await eraseUnretainedData(sql, userId, values, now)
  const storageKeys = erasure.kind === 'erased' ? await eraseIdentity(sql, userId, values, now) : []
  await logOperatorAct(sql, operator, { at: now, subjectId: userId, action: 'person_erased', detail: { ...erasure } })
  return { ...erasure, storageKeys }
}

const endOfRetention = (last: Day): Day => addMonths(last, retentionYears * 12, dayOfMonth(last))
