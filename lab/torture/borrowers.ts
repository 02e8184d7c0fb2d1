import { setTimeout as delay } from 'node:timers/promises'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanState } from '#domain/loans.ts'
import type { FailPointName } from '#server/config/fail-points.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { until } from '#testkit/until.ts'
import { mintToken } from '#testkit/mint-token.ts'
import type { Answer, Portal } from './portal.ts'

/** One borrower with one loan of many instalments, signed in. */
export type Borrower = { borrowerId: string; loanId: string; lan: string; phone: string; token: string }

let borrowersAdded = 0

export const firstDueInDays = 20

/** Adds borrowers, each with a loan of 120 instalments, the first in twenty days. */
export async function addBorrowers(portal: Portal, count: number, { sanctionedRupees = 400_000 } = {}): Promise<Borrower[]> {
  const database = portal.database()
  const now = portal.clock.now()
  await addProduct(database, now, 'education', educationLoan)
  const today = dayInIndia(now)
  const borrowers: Borrower[] = []
  for (let index = 0; index < count; index += 1) {
    borrowersAdded += 1
    const number = String(borrowersAdded).padStart(6, '0')
    const phone = `+9198${number.padStart(8, '5')}`
    const borrowerId = await addPerson(database, now, { phone, firstName: 'Torture', lastName: number })
    const { loanId, lan } = await addLoan(database, now, borrowerId, {
      lan: `KST-T-${number}`,
      leadId: `LEAD-T-${number}`,
      title: 'x',
      sanctionedRupees,
      disbursals: [{ date: today, rupees: 400_000 }],
      annualRatePercent: 12,
      instalments: 120,
      firstDueDate: addDays(today, firstDueInDays),
    })
    borrowers.push({ borrowerId, loanId, lan, phone, token: await tokenFor(portal, borrowerId) })
  }
  return borrowers
}

/** Creates a session for the present time. */
export const tokenFor = (portal: Portal, userId: string): Promise<string> =>
  mintToken(portal.database(), portal.config, portal.clock.now(), { userId, roles: [] })

/** Replaces the session, which has expired if the clock was moved. */
export const renewSession = async (portal: Portal, borrower: Borrower): Promise<void> => {
  borrower.token = await tokenFor(portal, borrower.borrowerId)
}

const callbackUrl = 'http://localhost:3000/payments/waiting-for-payment'

type Offer = { amount: number; purpose: 'PAY_EMI' | 'OVERDUE' }

/** The overdue amount, or else the next instalment, in rupees. */
export async function readOffer(portal: Portal, { lan, token }: Borrower): Promise<Offer | null> {
  const answer = await portal.call('GET', `/portal/repayment-schedule?lead_id=${lan}`, token)
  const offers = answer?.body['allowed_payments'] as Record<string, { amount?: number }> | undefined
  const overdue = offers?.['overdue_payment']?.amount ?? 0
  if (overdue > 0) return { amount: overdue, purpose: 'OVERDUE' }
  const next = offers?.['next_emi_payment']?.amount
  return next === undefined ? null : { amount: next, purpose: 'PAY_EMI' }
}

/** The provider makes no link below one rupee. */
export const canPayByLink = async (portal: Portal, borrower: Borrower): Promise<boolean> =>
  ((await readOffer(portal, borrower))?.amount ?? 0) >= 1

/** Rupees: the overdue amount or the next instalment; null if nothing is payable. */
export const nextInstalment = async (portal: Portal, borrower: Borrower): Promise<number | null> =>
  (await readOffer(portal, borrower))?.amount ?? null

/** Requests a payment link once. */
export const requestLink = (portal: Portal, { lan, token }: Borrower, amount: number, purpose = 'PAY_EMI'): Promise<Answer | null> =>
  portal.call('POST', '/portal/payment-link', token, {
    amount,
    lead_id: lan,
    application_id: lan,
    purpose,
    callback_url: callbackUrl,
  })

/**
 * Requests a link for the next instalment until one exists, also during faults.
 *
 * @throws Error when there is none at the time limit.
 */
export async function openLink(portal: Portal, borrower: Borrower, timeoutMs = 120_000): Promise<string> {
  let last: Answer | null = null
  const requestOrFind = async () => {
    const offer = await readOffer(portal, borrower)
    last = offer === null ? null : await requestLink(portal, borrower, offer.amount, offer.purpose)
    if (last?.status === 200) return String(last.body['payment_link_id'])
    return last?.status === 409 ? findOpenLink(portal, borrower) : null
  }
  return until(requestOrFind, timeoutMs, { intervalMs: 50, failure: () => `${borrower.lan} got no link: ${JSON.stringify(last)}` })
}

/** The link that the portal shows as ongoing. */
export async function findOpenLink(portal: Portal, { lan, token }: Borrower): Promise<string | null> {
  const answer = await portal.call('GET', `/portal/ongoing-payment?application_id=${lan}`, token)
  const link = answer?.body['payment_link'] as { payment_link_id?: string; status?: string } | null | undefined
  return link?.status === 'created' ? (link.payment_link_id ?? null) : null
}

/** Pays on the provider's page. */
export const pay = (portal: Portal, link: string, how: Record<string, unknown> = {}): Promise<Answer> =>
  portal.sandbox(`/links/${link}/pay`, { method: 'upi', outcome: 'success', ...how })

export const statusOf = async (portal: Portal, { token }: Borrower, link: string): Promise<Answer | null> =>
  portal.call('GET', `/portal/payment-link/status?payment_link_id=${link}`, token)

export const cancel = (portal: Portal, token: string, link: string, at = portal.server): Promise<Answer | null> =>
  portal.call('PATCH', `/payments/payment-link/cancel?payment_link_id=${link}`, token, {}, at)

const statusTimeoutMs = 120_000

/**
 * Waits until the portal shows this status.
 *
 * @throws Error at the time limit.
 */
export async function awaitStatus(portal: Portal, borrower: Borrower, link: string, status: string): Promise<void> {
  let shown: unknown
  const isShown = async () => {
    shown = (await statusOf(portal, borrower, link))?.body['status']
    return shown === status
  }
  await until(isShown, statusTimeoutMs, { intervalMs: 50, failure: () => `${link} shows ${String(shown)} instead of ${status}` })
}

/** The loan's state today. */
export const loanOf = (portal: Portal, { borrowerId, loanId }: Borrower): Promise<LoanState> =>
  portal
    .database()
    .asBorrower(borrowerId, async (sql) =>
      loanStateDuring((await lockOwnLoan(sql, borrowerId, loanId)).facts, dayInIndia(portal.clock.now())),
    )

/**
 * Waits for an expected value.
 *
 * @throws Error with the last value at the time limit.
 */
export async function awaitValue<T>(what: string, read: () => Promise<T>, isThere: (read: T) => boolean): Promise<void> {
  let found: T
  const isReached = async () => {
    found = await read()
    return isThere(found)
  }
  const describe = () => JSON.stringify(found, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
  await until(isReached, statusTimeoutMs, { intervalMs: 50, failure: () => `${what}: found ${describe()}` })
}

/** Opens a foreclosure link for the present payoff amount. */
export async function foreclosureLink(portal: Portal, borrower: Borrower): Promise<string> {
  const { lan, token } = borrower
  const answer = await portal.call('GET', `/portal/repayment-schedule?lead_id=${lan}`, token)
  const offers = answer?.body['allowed_payments'] as { foreclosure_payment?: { amount: number } } | undefined
  const made = await requestLink(portal, borrower, offers?.foreclosure_payment?.amount ?? 0, 'FORECLOSURE')
  if (made?.status !== 200) throw new Error(`the foreclosure was answered ${made?.status} ${String(made?.body['code'])}`)
  return String(made.body['payment_link_id'])
}

/**
 * Waits until a server reaches the fail-point.
 *
 * @throws Error at the time limit.
 */
export async function awaitFailPoint(portal: Portal, name: FailPointName, timeoutMs = 60_000): Promise<void> {
  await until(() => portal.isReached(name), timeoutMs, { intervalMs: 5, failure: `${name} was not reached` })
}

/** Opens a link and pays it as {@link payLink} does. */
export async function payOnce(portal: Portal, borrower: Borrower, timeoutMs?: number): Promise<void> {
  await payLink(portal, borrower, await openLink(portal, borrower, timeoutMs))
}

/** Pays a link, and polls its status until the payment is posted, for about 2 s. */
export async function payLink(portal: Portal, borrower: Borrower, link: string): Promise<void> {
  await pay(portal, link)
  for (let polls = 0; polls < 40; polls += 1) {
    const answer = await statusOf(portal, borrower, link)
    if (answer?.body['rps_updated'] === true) return
    await delay(50)
  }
}
