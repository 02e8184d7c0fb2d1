import { isOpenCollection, type MandateMethod } from '#domain/autopay.ts'
import { startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { hourMs, dayMs } from '#domain/durations.ts'
import { sql as raw } from 'kysely'
import { listCollections, type CollectionRow } from '#server/autopay/collection-store.ts'
import { consentVersion } from '#server/autopay/consent.ts'
import { findLiveMandate, type MandateRow } from '#server/autopay/mandate-store.ts'
import { until } from '#testkit/until.ts'
import { addBorrowers, renewSession, type Borrower } from '../borrowers.ts'
import type { Answer, Portal } from '../portal.ts'
import { recoveryTimeoutMs } from '../verify-outcome.ts'

/** Borrowers with a mandate on the portal of a suite, and their debits as stored. */

const account = { beneficiary_name: 'Meera Joshi', account_number: '112143112154', account_type: 'savings', ifsc_code: 'HDFC0000001' }

export const requestMandate = (portal: Portal, { lan, token }: Borrower, method: MandateMethod): Promise<Answer | null> =>
  portal.call('POST', '/portal/autopay/mandates', token, {
    application_id: lan,
    method,
    consent_version: consentVersion,
    ...(method === 'emandate' && { auth_type: 'netbanking', account }),
  })

export const mandateOf = (portal: Portal, { borrowerId, loanId }: Borrower): Promise<MandateRow | undefined> =>
  portal.database().asBorrower(borrowerId, (sql) => findLiveMandate(sql, borrowerId, loanId))

/** The collections of a loan, in the order of their plans. */
export const collectionsOf = async (portal: Portal, { borrowerId, loanId }: Borrower): Promise<CollectionRow[]> =>
  (await portal.database().asBorrower(borrowerId, (sql) => listCollections(sql, borrowerId, loanId))).toReversed()

/** Asks for a mandate until there is its page, approves it, and waits for the plan of a debit. */
export async function setUpMandate(portal: Portal, borrower: Borrower, method: MandateMethod): Promise<void> {
  let last: Answer | null = null
  const isIssued = async () => {
    last = await requestMandate(portal, borrower, method)
    return last?.status === 200 || last?.body['code'] === 'MandateExists'
  }
  const failure = () => `${borrower.lan} got no page of a mandate: ${JSON.stringify(last)}`
  await until(isIssued, recoveryTimeoutMs, { intervalMs: 100, failure })
  const { invoice_id } = (await mandateOf(portal, borrower)) ?? {}
  const { token } = (await portal.sandbox(`/registrations/${invoice_id}/approve`, {})).body as { token: { id: string } }
  if (method === 'emandate') await portal.sandbox(`/mandates/${token.id}/confirm`, {})
  await until(async () => (await collectionsOf(portal, borrower)).length > 0, recoveryTimeoutMs, {
    intervalMs: 50,
    failure: `${borrower.lan} has no planned debit`,
  })
}

/** A new borrower with a mandate, whose first instalment falls due in twenty days. */
export async function addDebtor(portal: Portal, method: MandateMethod = 'upi'): Promise<Borrower> {
  const [borrower] = await addBorrowers(portal, 1)
  if (!borrower) throw new Error('There is no borrower')
  await setUpMandate(portal, borrower, method)
  return borrower
}

/** Moves the clocks forward to an hour of a day in India, such as 9.5 for 09:30. */
export const moveTo = (portal: Portal, day: Day, hour: number): Promise<void> => moveToMs(portal, startOfDayInIndiaMs(day) + hour * hourMs)

async function moveToMs(portal: Portal, atMs: number): Promise<void> {
  const seconds = Math.ceil((atMs - portal.clock.now().getTime()) / 1_000)
  if (seconds > 0) await portal.sandbox('/time', { advance_seconds: seconds })
}

/** For the message of an error. */
export const statesOf = (rows: readonly CollectionRow[]): string => rows.map(({ status, reason }) => `${status} ${reason}`).join(', ')

/** The collection of the first due date that is still open; undefined when it is over. */
async function openCollection(portal: Portal, borrower: Borrower): Promise<CollectionRow | undefined> {
  const rows = await collectionsOf(portal, borrower)
  return rows.find((row) => row.due_on === rows[0]?.due_on && isOpenCollection(row))
}

const lookMs = 60_000

/**
 * Moves the clock to the next look at the open collection, and waits until a server has looked.
 *
 * @returns false if the first due date has no open collection.
 */
export async function followOnce(portal: Portal, borrower: Borrower): Promise<boolean> {
  const before = await openCollection(portal, borrower)
  if (before === undefined) return false
  await moveToMs(portal, before.next_check_at.getTime() + 1_000)
  const isLookedAt = async () => {
    const now = (await collectionsOf(portal, borrower)).find(({ collection_id }) => collection_id === before.collection_id)
    return now?.status !== before.status || now.next_check_at.getTime() !== before.next_check_at.getTime()
  }
  const failure = `debit ${before.reference} is ${before.status}, and nobody looks at it`
  await until(isLookedAt, lookMs, { intervalMs: 20, failure })
  return true
}

const looksMax = 200
/**
 * The first instalment falls due in twenty days, and its debits end within this time of the
 * portal's clock. The looks are not counted: a pause, an announcement that reaches nobody and an
 * open link each mean a hundred.
 */
const endsWithinMs = 40 * dayMs

/** Follows the debits of the first due date to their end. @throws Error if there is none. */
export async function followToEnd(portal: Portal, borrower: Borrower): Promise<void> {
  const startedMs = portal.clock.now().getTime()
  while (portal.clock.now().getTime() - startedMs < endsWithinMs)
    if (!(await followOnce(portal, borrower))) return renewSession(portal, borrower)
  throw new Error(`${borrower.lan} has debits that do not come to an end: ${statesOf(await collectionsOf(portal, borrower))}`)
}

/** Follows until the open collection has a status. */
export async function followTo(portal: Portal, borrower: Borrower, status: CollectionRow['status']): Promise<CollectionRow> {
  for (let looks = 0; looks < looksMax; looks += 1) {
    const row = await openCollection(portal, borrower)
    if (row?.status === status && (status !== 'announced' || row.delivered_at !== null)) return row
    if (!(await followOnce(portal, borrower))) break
  }
  throw new Error(`${borrower.lan} has no debit that is ${status}`)
}

/** Ends the leases of a server that was killed, which would expire after a minute. */
export const expireLeases = (portal: Portal): Promise<unknown> =>
  portal.database().asSystem((sql) => raw`update leases set expires_at = now() where expires_at > now()`.execute(sql))
