import { addDays, dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { daySeconds, hourSeconds, minuteMs } from '#domain/durations.ts'
import { educationLoan } from '#testkit/builders.ts'
import {
  addBorrowers,
  cancel,
  awaitValue,
  firstDueInDays,
  foreclosureLink,
  loanOf,
  openLink,
  pay,
  renewSession,
  awaitStatus,
  statusOf,
  type Borrower,
} from './borrowers.ts'
import type { Portal } from './portal.ts'
import type { SuiteRun } from './suite.ts'

const tenMinutes = 600
/** A late charge is due on the day after these. */
const graceDays = educationLoan.late_charge?.grace_days ?? 0

/**
 * Wrong clocks, ends of days, banks that answer after days, and a portal that was down for a day.
 */
export async function unusualTimes({ portal, options, round, broken }: SuiteRun): Promise<void> {
  for (const skew of options.short ? [-tenMinutes] : [tenMinutes, -tenMinutes])
    await round(`the provider's clock is ${skew} s ahead`, async () => {
      const borrower = await addBorrower(portal)
      await portal.sandbox('/time', { skew_seconds: skew })
      const link = await openLink(portal, borrower)
      await pay(portal, link)
      await awaitStatus(portal, borrower, link, 'paid')
      await portal.sandbox('/time', { skew_seconds: 0 })
    })
  await round('paid in the last minute of the day', async () => {
    const borrower = await addBorrower(portal)
    await moveTo(portal, 23 * hourSeconds + 20 * 60)
    await renewSession(portal, borrower)
    const link = await openLink(portal, borrower)
    await moveTo(portal, 23 * hourSeconds + 59 * 60)
    await renewSession(portal, borrower)
    await pay(portal, link)
    await awaitStatus(portal, borrower, link, 'paid')
  })
  await round('quoted in the last half hour for the next day', async () => {
    const borrower = await addBorrower(portal)
    await moveTo(portal, 23 * hourSeconds + 50 * 60)
    await renewSession(portal, borrower)
    const link = await openLink(portal, borrower)
    await portal.sandbox('/time', { advance_seconds: 15 * 60 })
    await pay(portal, link)
    await awaitStatus(portal, borrower, link, 'paid')
  })
  for (const when of ['before', 'after'] as const) {
    await round(`a link of 23:40 for what is overdue, paid ${when} midnight`, async () => {
      const borrower = await overdueAt2340(portal)
      const link = await openLink(portal, borrower)
      await payLate(portal, borrower, link, when)
      const { status, duesPaise, creditPaise } = await loanOf(portal, borrower)
      if (status !== 'ACTIVE' || duesPaise !== 0n || creditPaise !== 0n)
        broken(`paid ${when} midnight by a quote of 23:40, a loan is ${status}, owes ${duesPaise} paise and has a credit of ${creditPaise}`)
      const waived = await waivedWithinQuote(portal, borrower)
      if (waived !== (when === 'after' ? 1 : 0)) broken(`paid ${when} midnight, ${waived} late charges were waived`)
    })
    await round(`a foreclosure link of 23:40, paid ${when} midnight`, async () => {
      const borrower = await overdueAt2340(portal)
      await payLate(portal, borrower, await foreclosureLink(portal, borrower), when)
      await awaitValue(
        `a foreclosure by a quote of 23:40, paid ${when} midnight, closes the loan, and what is too much goes back`,
        () => loanOf(portal, borrower),
        (loan) => loan.status === 'CLOSED' && loan.creditPaise === 0n,
      )
    })
  }
  await round('expired while the bank was still asked', async () => {
    const borrower = await addBorrower(portal)
    const link = await openLink(portal, borrower)
    await pay(portal, link, { outcome: 'late_success', after_seconds: 2 * daySeconds })
    await portal.sandbox('/time', { advance_seconds: daySeconds })
    await renewSession(portal, borrower)
    await awaitStatus(portal, borrower, link, 'expired')
    await portal.sandbox('/time', { advance_seconds: daySeconds + 60 })
  })
  await round('the bank says yes after the borrower cancelled', async () => {
    const borrower = await addBorrower(portal)
    const link = await openLink(portal, borrower)
    await pay(portal, link, { outcome: 'late_success', after_seconds: tenMinutes })
    const answer = await cancel(portal, borrower.token, link)
    if (answer?.status !== 200) broken(`cancelling was answered ${answer?.status}`)
    await portal.sandbox('/time', { advance_seconds: tenMinutes + 60 })
  })
  await round('the portal was away for 25 hours', async () => {
    const borrower = await addBorrower(portal)
    const link = await openLink(portal, borrower)
    await portal.server.kill()
    await pay(portal, link)
    await portal.sandbox('/time', { advance_seconds: 25 * hourSeconds })
    await portal.server.start()
  })
  if (options.short) return
  await round('a year goes by in months, each paid on its last day', async () => {
    const borrower = await addBorrower(portal)
    for (let month = 0; month < 12; month += 1) {
      const today = dayInIndia(portal.clock.now())
      const next = `${addDays(`${today.slice(0, 8)}28` as typeof today, 4).slice(0, 8)}01` as typeof today
      await portal.sandbox('/time', { advance_seconds: (startOfDayInIndiaMs(next) - portal.clock.now().getTime()) / 1_000 - 60 })
      await renewSession(portal, borrower)
      const link = await openLink(portal, borrower)
      await pay(portal, link)
      await awaitStatus(portal, borrower, link, 'paid')
      await portal.sandbox('/time', { advance_seconds: 120 })
      await renewSession(portal, borrower)
    }
  })
}

/** Adds a borrower whose loan starts today by the portal's clock. */
async function addBorrower(portal: Portal): Promise<Borrower> {
  const [borrower] = await addBorrowers(portal, 1)
  if (!borrower) throw new Error('There is no borrower')
  return borrower
}

/** Moves the clocks forward to a time of day in India, in seconds since midnight. */
export async function moveTo(portal: Portal, seconds: number): Promise<void> {
  const now = portal.clock.now()
  const sinceMidnight = (now.getTime() - startOfDayInIndiaMs(dayInIndia(now))) / 1_000
  await portal.sandbox('/time', { advance_seconds: (seconds - sinceMidnight + daySeconds) % daySeconds })
}

/**
 * Moves the clocks to 23:40 in India, on the next such day by default. From 23:30 a quote is for
 * the next day.
 */
export async function moveTo2340(portal: Portal, on?: Day): Promise<void> {
  const nowMs = portal.clock.now().getTime()
  const today = dayInIndia(portal.clock.now())
  const at2340Ms = (of: Day) => startOfDayInIndiaMs(of) + (23 * 60 + 40) * minuteMs
  const targetMs = at2340Ms(on ?? (at2340Ms(today) > nowMs ? today : addDays(today, 1)))
  await portal.sandbox('/time', { advance_seconds: Math.ceil((targetMs - nowMs) / 1_000) })
}

/**
 * Adds a borrower and moves the clocks to 23:40 of the last day before the late charge of the first
 * instalment.
 */
async function overdueAt2340(portal: Portal): Promise<Borrower> {
  const borrower = await addBorrower(portal)
  await moveTo2340(portal, addDays(dayInIndia(portal.clock.now()), firstDueInDays + graceDays))
  await renewSession(portal, borrower)
  return borrower
}

async function payLate(portal: Portal, borrower: Borrower, link: string, when: 'before' | 'after'): Promise<void> {
  if (when === 'after') {
    await portal.sandbox('/time', { advance_seconds: 25 * 60 })
    await renewSession(portal, borrower)
  }
  await pay(portal, link)
  await awaitValue(
    'what was paid is applied',
    () => statusOf(portal, borrower, link),
    (answer) => answer?.body['rps_updated'] === true,
  )
}

/** The number of late charges that were waived because they arose after the quote (decision 55). */
const waivedWithinQuote = (portal: Portal, { borrowerId, loanId }: Borrower): Promise<number> =>
  portal.database().asSystem(async (sql) => {
    const lines = await sql
      .selectFrom('ledger_transactions')
      .select('source_id')
      .where('borrower_id', '=', borrowerId)
      .where('loan_id', '=', loanId)
      .where('source_id', 'like', '%:late\\_charge\\_within\\_quote:%')
      .execute()
    return lines.length
  })
