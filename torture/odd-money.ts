import { addBorrowers, askForLink, openLink, pay, shows, type Borrower } from './borrowers.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { recordPayment } from '#server/ledger/record-payment.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import type { Portal } from './portal.ts'
import type { Course } from './suite.ts'

/** Money that is not what was asked for: too little, too much, twice, or for what was paid meanwhile. */
export async function oddMoney({ portal, round }: Course): Promise<void> {
  const fresh = async () => (await addBorrowers(portal, 1))[0] as Borrower
  await round('the instalment was collected between quote and capture', async () => {
    const borrower = await fresh()
    const link = await openLink(portal, borrower)
    await collect(portal, borrower, 6_000)
    await pay(portal, link)
    await shows(portal, borrower, link, 'paid')
  })
  await round('failed at first, then paid', async () => {
    const borrower = await fresh()
    const link = await openLink(portal, borrower)
    for (const method of ['upi', 'card', 'netbanking']) await pay(portal, link, { method, outcome: 'failure' })
    await pay(portal, link, { method: 'card' })
    await shows(portal, borrower, link, 'paid')
  })
  await round('paid twice, the provider sends one back', async () => {
    const borrower = await fresh()
    const link = await openLink(portal, borrower)
    await pay(portal, link)
    await pay(portal, link, { outcome: 'late_success', after_seconds: 0 })
    await shows(portal, borrower, link, 'paid')
  })
  await round('a foreclosure', async () => {
    const borrower = await fresh()
    const answer = await portal.call('GET', `/portal/repayment-schedule?lead_id=${borrower.lan}`, borrower.token)
    const offers = answer?.body['allowed_payments'] as { foreclosure_payment?: { amount: number } } | undefined
    const made = await askForLink(portal, borrower, offers?.foreclosure_payment?.amount ?? 0, 'FORECLOSURE')
    if (made?.status !== 200) throw new Error(`the foreclosure was answered ${made?.status} ${String(made?.body['code'])}`)
    await pay(portal, String(made.body['payment_link_id']))
  })
}

/** As a mandate that the lender's bank collected. */
async function collect(portal: Portal, { borrowerId, loanId, lan }: Borrower, rupees: number): Promise<void> {
  const now = portal.clock.now()
  await portal
    .database()
    .asBorrower(borrowerId, async (sql) =>
      recordPayment(
        sql,
        await lockOwnLoan(sql, borrowerId, loanId),
        { mode: 'mandate', reference: `mandate ${lan}`, amountPaise: rupeesToPaise(rupees), date: dayInIndia(now), purpose: null },
        now,
        'operator',
      ),
    )
}
