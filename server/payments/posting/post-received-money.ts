import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { withPayment } from '../../ledger/receive-money.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { addNotice } from '../../notices/add-notice.ts'
import { requestRefund } from '../refunds/request-refund.ts'
import { decideDisposition, type Ground } from './payment-disposition.ts'
import { countedOf, isAllApplied } from '../link-money.ts'
import {
  changeLink,
  closedAsOf,
  lockLink,
  providerPaymentsOf,
  readLink,
  type LinkKey,
  type LinkRow,
  type ProviderPaymentRow,
} from '../payment-store.ts'
import { postPayment } from './post-payment.ts'
import { refundsOfLinks } from '../refund-store.ts'
import { addReview } from '../review-store.ts'

/** Under the loan's row lock: posts what is not posted yet, and only then says that the loan is updated. */
export async function postReceivedMoney(context: MoneyContext, key: LinkKey): Promise<LinkRow> {
  const { database, clock, config, failPoint } = context
  return database.asBorrower(key.borrowerId, async (sql) => {
    // The loan before the link, as everywhere, so that no two transactions wait for each other.
    let own = await lockOwnLoan(sql, key.borrowerId, (await readLink(sql, key)).loan_id)
    const link = await lockLink(sql, key)
    await failPoint('posting_begun')
    const now = clock.now()
    for (;;) {
      const ground = await groundOf(sql, key, own, link)
      const next = nextToPost(ground.payments)
      if (!next) break
      own = await post(context, sql, ground, next, now)
    }
    const payments = await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])
    const isDone = isAllApplied(link, payments)
    // A link whose money is all here is looked at again as calmly as a new one: a second capture may still come.
    const nextCheck = new Date(now.getTime() + config.payments.sweepAfterSeconds * 1_000)
    const change = { rps_updated: isDone, settled_at: now, ...(isDone && { next_check_at: nextCheck }) }
    await changeLink(sql, key, change)
    await failPoint('posting_written')
    return { ...link, ...change }
  })
}

async function groundOf(sql: Sql, key: LinkKey, own: OwnLoan, link: LinkRow): Promise<Ground> {
  const payments = await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])
  const refunds = await refundsOfLinks(sql, key.borrowerId, [key.paymentIntentId])
  return { own, link, closedAs: await closedAsOf(sql, key), payments, refunds }
}

/** What was captured before what the provider sent back without capturing it; oldest first. */
const nextToPost = (payments: readonly ProviderPaymentRow[]): ProviderPaymentRow | undefined => {
  const open = payments.filter(({ transaction_id }) => transaction_id === null)
  return open.find(({ captured }) => captured) ?? open[0]
}

/** Posts one payment. What counts is told to the borrower as received; what does not is on its way back from the same moment on. */
async function post({ jobs }: MoneyContext, sql: Sql, ground: Ground, payment: ProviderPaymentRow, now: Date): Promise<OwnLoan> {
  const { own, link } = ground
  const { returnedAs, ...landing } = decideDisposition(ground, payment, now)
  const received = await postPayment(sql, own, link, payment, now, { ...landing, isHeld: returnedAs !== null })
  const { borrower_id: borrowerId, loan_id: loanId, lan } = own.loan
  if (returnedAs !== null) {
    await requestRefund(
      sql,
      jobs,
      { loan: own.loan, payment, amountPaise: payment.amount_paise, reason: returnedAs, askedBy: 'system', note: null },
      now,
    )
  } else {
    const { amountPaise, date } = received
    await addNotice(sql, { borrowerId, about: `payment:${received.paymentId}`, kind: 'payment_applied', lan, amountPaise, date }, now)
    const counted = countedOf(ground.payments, ground.refunds) + payment.amount_paise
    if (counted > link.amount_paise)
      await addReview(
        sql,
        {
          borrowerId,
          loanId,
          paymentIntentId: link.payment_intent_id,
          kind: 'amount_over',
          about: payment.provider_payment_id,
          detail: { payment: payment.provider_payment_id, received_paise: String(counted), asked_paise: String(link.amount_paise) },
        },
        now,
      )
  }
  return { ...own, facts: withPayment(own.facts, received) }
}
