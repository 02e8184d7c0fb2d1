import { startOfDayInIndiaMs, addDays, type Day } from '#domain/calendar.ts'
import { until, type App } from '#testkit/start-app.ts'
import type { Borrower } from './people.ts'

/** Autopay by the API, the sandbox and the clock: what happens outside of a browser. */

type Fields = Record<string, unknown>
export type Debit = {
  id: string
  status: string
  debit_on: Day
  attempt: number
  amount: number
  expected_by: string | null
  delivered_at: string | null
}

/** A phone belongs to one test, of one portal. */
const tokens = new Map<string, { text: string; at: number }>()

/** Signs in again after a while, because an idle session ends while days pass. */
async function session(portal: App, phone: string): Promise<string> {
  const now = portal.clock.now().getTime()
  const known = tokens.get(phone)
  if (known !== undefined && Math.abs(now - known.at) <= 15 * 60_000) return known.text
  const text = await portal.signIn(phone)
  tokens.set(phone, { text, at: now })
  return text
}

async function get(portal: App, { phone, lan }: Borrower, path: string): Promise<Fields> {
  return (await portal.get(`${path}?application_id=${lan}`, await session(portal, phone))).body
}

export const readAutopay = (portal: App, own: Borrower): Promise<Fields> => get(portal, own, '/portal/autopay')

/** The debits of the borrower's loan, oldest first. */
export async function readDebits(portal: App, own: Borrower): Promise<Debit[]> {
  const { collections } = await get(portal, own, '/portal/autopay/collections')
  return (collections as Debit[]).toSorted((left, right) => (left.debit_on < right.debit_on ? -1 : left.attempt - right.attempt))
}

/** Waits until the latest debit that is not planned has a status. */
export const debitWith = (portal: App, own: Borrower, status: string): Promise<Debit> =>
  until(async () => (await readDebits(portal, own)).findLast((debit) => debit.status === status))

/** The token of a borrower's mandate at the provider. */
export async function tokenOf(portal: App, own: Borrower): Promise<string> {
  const invoiceId = await invoiceOf(portal, own)
  const { tokens } = await portal.sandbox('/state')
  return (tokens as { id: string; registration_id: string }[]).find(({ registration_id }) => registration_id === invoiceId)?.id ?? ''
}

async function invoiceOf(portal: App, own: Borrower): Promise<string> {
  const { mandate } = (await readAutopay(portal, own)) as { mandate: { reference: string } }
  const { registrations } = await portal.sandbox('/state')
  const known = registrations as { id: string; receipt: string }[] | Record<string, { id: string; receipt: string }>
  return Object.values(known).find(({ receipt }) => receipt === mandate.reference)?.id ?? ''
}

/** Requests UPI Autopay without a browser; nobody has approved it. */
export async function requestMandate(portal: App, own: Borrower): Promise<void> {
  const { offer } = (await readAutopay(portal, own)) as { offer: { consent_version: string } }
  const body = { application_id: own.lan, method: 'upi', consent_version: offer.consent_version }
  await portal.post('/portal/autopay/mandates', body, await session(portal, own.phone))
}

/** Sets up UPI Autopay without a browser, and waits until it is active. */
export async function setUpMandate(portal: App, own: Borrower): Promise<void> {
  await requestMandate(portal, own)
  await portal.sandbox(`/registrations/${await invoiceOf(portal, own)}/approve`, {})
  await debitWith(portal, own, 'planned')
}

/** Moves the clocks to an hour of a day in India, such as 9.5 for 09:30. */
export const moveTo = (portal: App, day: Day, hour: number): Promise<void> =>
  portal.clock.advance(startOfDayInIndiaMs(day) + hour * 3_600_000 - portal.clock.now().getTime())

/** Lets the planned debit be announced, two days before its day, and the announcement delivered. */
export async function announceDebit(portal: App, own: Borrower): Promise<Debit> {
  const planned = await debitWith(portal, own, 'planned')
  await moveTo(portal, addDays(planned.debit_on, -2), 10.01)
  await debitWith(portal, own, 'announced')
  await portal.clock.advance(11 * 60_000)
  return until(async () => (await readDebits(portal, own)).find((debit) => debit.status === 'announced' && debit.delivered_at !== null))
}

/** Lets the announced debit be presented, at an hour of its day. */
export async function presentDebit(portal: App, own: Borrower, hour: number): Promise<Debit> {
  const announced = await debitWith(portal, own, 'announced')
  await moveTo(portal, announced.debit_on, hour)
  return debitWith(portal, own, 'presented')
}
