import { dayInIndia, quoteDay } from '#domain/calendar.ts'
import { daySeconds } from '#domain/durations.ts'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { recordPayment } from '#server/loan-changes/record-payment.ts'
import { withLockedLoan } from '#testkit/locked-loan.ts'
import { addBorrowers, awaitValue, foreclosureLink, loanOf, openLink, pay, renewSession, awaitStatus, type Borrower } from './borrowers.ts'
import { newEventId, withoutWebhooks } from './deliveries.ts'
import { change, charge, chargePaise, writeOrFail, reversal, transfer } from './lender.ts'
import type { Portal } from './portal.ts'
import type { SuiteRun } from './suite.ts'
import { moveTo } from './unusual-times.ts'

/** More than the difference of a day's interest that is waived (decision 24). */
const shortPaise = rupeesToPaise(1_000)

/** Payments that differ from the quote: too little, too much, twice, or for paid dues. */
export async function unusualPayments(suiteRun: SuiteRun): Promise<void> {
  const { portal, round, broken } = suiteRun
  const fresh = async () => (await addBorrowers(portal, 1))[0] as Borrower
  await round('the instalment was collected between quote and capture', async () => {
    const borrower = await fresh()
    const link = await openLink(portal, borrower)
    await collect(portal, borrower, 6_000)
    await pay(portal, link)
    await awaitStatus(portal, borrower, link, 'paid')
  })
  await round('failed at first, then paid', async () => {
    const borrower = await fresh()
    const link = await openLink(portal, borrower)
    for (const method of ['upi', 'card', 'netbanking']) await pay(portal, link, { method, outcome: 'failure' })
    await pay(portal, link, { method: 'card' })
    await awaitStatus(portal, borrower, link, 'paid')
  })
  await round('paid twice, the provider sends one back', async () => {
    const borrower = await fresh()
    const link = await openLink(portal, borrower)
    await pay(portal, link)
    await pay(portal, link, { outcome: 'late_success', after_seconds: 0 })
    await awaitStatus(portal, borrower, link, 'paid')
  })
  await round('a foreclosure', async () => {
    const borrower = await fresh()
    await pay(portal, await foreclosureLink(portal, borrower))
    await awaitValue(
      'a foreclosure closes the loan',
      () => loanOf(portal, borrower),
      ({ status }) => status === 'CLOSED',
    )
  })
  await round('a foreclosure paid short: the transfer for it is ₹1,000 too small', async () => {
    await leaveEvening(portal)
    const borrower = await fresh()
    const { allowed } = await loanOf(portal, borrower)
    const paidPaise = paise((allowed.foreclosure?.amountPaise ?? 0n) - shortPaise)
    await writeOrFail(portal, borrower, transfer(newEventId(), paidPaise, 'FORECLOSURE'))
    await fallsShort(suiteRun, borrower, shortPaise)
  })
  await round('a foreclosure paid short: a bounce is reported before its money is seen', async () => {
    await leaveEvening(portal)
    const borrower = await fresh()
    const reference = newEventId()
    await writeOrFail(portal, borrower, transfer(reference, shortPaise))
    const link = await foreclosureLink(portal, borrower)
    await withoutWebhooks(portal, () => pay(portal, link))
    const outcome = await change(portal, borrower, reversal(reference), { whileLinkOpen: 'cancel_after' })
    if (outcome !== 'written') broken(`a bounce reported beside a foreclosure link was ${outcome}`)
    await awaitStatus(portal, borrower, link, 'paid')
    await fallsShort(suiteRun, borrower, shortPaise)
  })
  await round('a foreclosure paid short: its link is from before a charge, and the money comes after it', async () => {
    const borrower = await fresh()
    const madeOn = dayInIndia(portal.clock.now())
    const link = await foreclosureLink(portal, borrower)
    await pay(portal, link, { outcome: 'late_success', after_seconds: 2 * daySeconds })
    await portal.sandbox('/time', { advance_seconds: daySeconds })
    await renewSession(portal, borrower)
    await awaitStatus(portal, borrower, link, 'expired')
    await writeOrFail(portal, borrower, charge(newEventId(), madeOn))
    await portal.sandbox('/time', { advance_seconds: daySeconds + 60 })
    await renewSession(portal, borrower)
    await fallsShort(suiteRun, borrower, chargePaise)
  })
}

/**
 * Moves the time past midnight in India from 23:30 on: a quote of then contains the interest of the
 * next day, so amounts differ by a day's interest.
 */
async function leaveEvening(portal: Portal): Promise<void> {
  const now = portal.clock.now()
  if (quoteDay(now) !== dayInIndia(now)) await moveTo(portal, 60)
}

/**
 * A foreclosure that is short by this amount leaves no unused credit, is on the review list, and
 * the borrower is notified (decision 54). The rest can be paid, and closes the loan.
 */
async function fallsShort({ portal, broken }: SuiteRun, borrower: Borrower, missingPaise: bigint): Promise<void> {
  const { borrowerId, loanId } = borrower
  const reviews = () =>
    portal.database().asSystem((sql) =>
      sql
        .selectFrom('payment_reviews')
        .select(['kind', 'detail'])
        .where('borrower_id', '=', borrowerId)
        .where('loan_id', '=', loanId)
        // A failed posting is reviewed until it succeeds.
        .where('kind', '<>', 'not_posted')
        .execute(),
    )
  await awaitValue(
    'a foreclosure paid short is on the review list',
    reviews,
    (found) => found.length === 1 && found[0]?.kind === 'foreclosure_short' && detailOf(found[0]).short_paise === String(missingPaise),
  )
  // With the interest of the days since then, if the payment was late.
  const stillToPay = Number(detailOf((await reviews())[0]).still_to_pay_paise)
  if (stillToPay < missingPaise) broken(`a foreclosure short by ${missingPaise} paise leaves ${stillToPay} to pay`)
  const notices = await portal.call('GET', '/portal/notices', borrower.token)
  const shown = (notices?.body['notices'] as { kind: string; amount: number }[] | undefined) ?? []
  if (!shown.some(({ kind, amount }) => kind === 'foreclosure_short' && amount === stillToPay / 100))
    broken(`a foreclosure that leaves ${stillToPay} paise to pay has the notices ${JSON.stringify(shown)}`)
  const { status, creditPaise } = await loanOf(portal, borrower)
  if (status !== 'ACTIVE' || creditPaise !== 0n)
    broken(`short by ${missingPaise} paise, a loan is ${status} with a credit of ${creditPaise}`)
  const { allowed } = await loanOf(portal, borrower)
  await pay(portal, allowed.foreclosure ? await foreclosureLink(portal, borrower) : await openLink(portal, borrower))
  await awaitValue(
    'what was left of a foreclosure closes the loan',
    () => loanOf(portal, borrower),
    (loan) => loan.status === 'CLOSED' && loan.creditPaise === 0n,
  )
}

type ShortDetail = { short_paise?: string; still_to_pay_paise?: string }
const detailOf = (review: { detail: unknown } | undefined): ShortDetail => (review?.detail ?? {}) as ShortDetail

/** As a payment that the lender's bank collected by mandate. */
async function collect(portal: Portal, { borrowerId, loanId, lan }: Borrower, rupees: number): Promise<void> {
  const now = portal.clock.now()
  await withLockedLoan(portal.database(), { borrowerId, loanId }, now, (loan) =>
    recordPayment(loan, {
      mode: 'mandate',
      reference: `mandate ${lan}`,
      amountPaise: rupeesToPaise(rupees),
      date: dayInIndia(now),
      purpose: null,
    }),
  )
}
