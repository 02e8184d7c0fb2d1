import { dayInIndia, startOfDayInIndiaMs, addDays } from '#domain/calendar.ts'
import { addBorrowers, cancel, openLink, pay, shows, tokenFor, type Borrower } from './borrowers.ts'
import type { Portal } from './portal.ts'
import type { Course } from './suite.ts'

const tenMinutes = 600
const day = 86_400

/** Clocks that differ, days that end, banks that answer after days, a portal that was away for one. */
export async function oddTimes({ portal, options, round, broken }: Course): Promise<void> {
  for (const skew of options.short ? [-tenMinutes] : [tenMinutes, -tenMinutes])
    await round(`the provider's clock is ${skew} s ahead`, async () => {
      const borrower = await newBorrower(portal)
      await portal.sandbox('/time', { skew_seconds: skew })
      const link = await openLink(portal, borrower)
      await pay(portal, link)
      await shows(portal, borrower, link, 'paid')
      await portal.sandbox('/time', { skew_seconds: 0 })
    })
  await round('paid in the last minute of the day', async () => {
    const borrower = await newBorrower(portal)
    await moveTo(portal, 23 * 3_600 + 20 * 60)
    await renew(portal, borrower)
    const link = await openLink(portal, borrower)
    await moveTo(portal, 23 * 3_600 + 59 * 60)
    await renew(portal, borrower)
    await pay(portal, link)
    await shows(portal, borrower, link, 'paid')
  })
  await round('quoted in the last half hour for the next day', async () => {
    const borrower = await newBorrower(portal)
    await moveTo(portal, 23 * 3_600 + 50 * 60)
    await renew(portal, borrower)
    const link = await openLink(portal, borrower)
    await portal.sandbox('/time', { advance_seconds: 15 * 60 })
    await pay(portal, link)
    await shows(portal, borrower, link, 'paid')
  })
  await round('expired while the bank was still asked', async () => {
    const borrower = await newBorrower(portal)
    const link = await openLink(portal, borrower)
    await pay(portal, link, { outcome: 'late_success', after_seconds: 2 * day })
    await portal.sandbox('/time', { advance_seconds: day })
    await renew(portal, borrower)
    await shows(portal, borrower, link, 'expired')
    await portal.sandbox('/time', { advance_seconds: day + 60 })
  })
  await round('the bank says yes after the borrower cancelled', async () => {
    const borrower = await newBorrower(portal)
    const link = await openLink(portal, borrower)
    await pay(portal, link, { outcome: 'late_success', after_seconds: tenMinutes })
    const answer = await cancel(portal, borrower.token, link)
    if (answer?.status !== 200) broken(`cancelling was answered ${answer?.status}`)
    await portal.sandbox('/time', { advance_seconds: tenMinutes + 60 })
  })
  await round('the portal was away for 25 hours', async () => {
    const borrower = await newBorrower(portal)
    const link = await openLink(portal, borrower)
    await portal.server.kill()
    await pay(portal, link)
    await portal.sandbox('/time', { advance_seconds: 25 * 3_600 })
    await portal.server.start()
  })
  if (options.short) return
  await round('a year goes by in months, each paid on its last day', async () => {
    const borrower = await newBorrower(portal)
    for (let month = 0; month < 12; month += 1) {
      const today = dayInIndia(portal.clock.now())
      const next = `${addDays(`${today.slice(0, 8)}28` as typeof today, 4).slice(0, 8)}01` as typeof today
      await portal.sandbox('/time', { advance_seconds: (startOfDayInIndiaMs(next) - portal.clock.now().getTime()) / 1_000 - 60 })
      await renew(portal, borrower)
      const link = await openLink(portal, borrower)
      await pay(portal, link)
      await shows(portal, borrower, link, 'paid')
      await portal.sandbox('/time', { advance_seconds: 120 })
      await renew(portal, borrower)
    }
  })
}

/** A session does not outlive a jump. */
const renew = async (portal: Portal, borrower: Borrower): Promise<void> => {
  borrower.token = await tokenFor(portal, borrower.borrowerId)
}

/** Whose loan begins today, whatever day it has become. */
export async function newBorrower(portal: Portal): Promise<Borrower> {
  const [borrower] = await addBorrowers(portal, 1)
  if (!borrower) throw new Error('There is no borrower')
  return borrower
}

/** Forward to a time of day in India, in seconds since midnight. */
async function moveTo(portal: Portal, seconds: number): Promise<void> {
  const now = portal.clock.now()
  const sinceMidnight = (now.getTime() - startOfDayInIndiaMs(dayInIndia(now))) / 1_000
  await portal.sandbox('/time', { advance_seconds: (seconds - sinceMidnight + day) % day })
}
