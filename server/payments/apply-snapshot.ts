import { advanceLink } from '#domain/payment-links.ts'
import { paise } from '#domain/money.ts'
import type { LinkSnapshot } from '../adapters/payment-gateway/payment-gateway.ts'
import type { Context } from '../context.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { addNotice } from '../notices/add-notice.ts'
import {
  addHistory,
  addProviderPayment,
  changeLink,
  lockLink,
  providerPaymentsOf,
  readLink,
  type HistorySource,
  type LinkKey,
  type LinkRow,
  type ProviderPaymentRow,
} from './payment-store.ts'
import { withPayment } from '../ledger/receive-money.ts'
import { postPayment } from './post-payment.ts'

/** Who or what reported. */
export type Report = { source: HistorySource; actorId: string }

/** Money that is known of but not in the ledger yet is looked at again this soon. */
const applyRetryMs = 2_000

/**
 * The one function behind webhooks, status polls, the sweeper and cancelling: takes the provider's view of a link,
 * moves ours forward, and puts every captured payment into the ledger. Called any number of times, in any order and at
 * once, it has the effect of one call.
 *
 * What the provider says is kept in a transaction of its own before the posting: should the posting fail, the borrower
 * sees that the money has arrived, and the sweeper tries again.
 */
export async function applySnapshot(context: Context, key: LinkKey, snapshot: LinkSnapshot, report: Report): Promise<LinkRow> {
  const link = await recordSnapshot(context, key, snapshot, report)
  if (!hasUnappliedMoney(link)) return link
  await context.failPoint('capture_stored')
  const posted = await postReceivedMoney(context, key)
  await context.failPoint('posting_committed')
  return posted
}

const hasUnappliedMoney = (link: LinkRow) => link.amount_paid_paise > 0n && !link.rps_updated

async function recordSnapshot({ database, clock, log }: Context, key: LinkKey, snapshot: LinkSnapshot, report: Report): Promise<LinkRow> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const link = await lockLink(sql, key)
    // Under the lock, so that the history's times stand in the order of its steps.
    const now = clock.now()
    const mismatch = mismatchOf(link, snapshot)
    if (mismatch) {
      log.error({ reference: link.reference, mismatch }, 'the provider tells another link than the one asked for')
      return link
    }
    for (const payment of snapshot.payments) await addProviderPayment(sql, link, payment, now)
    const payments = await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])
    const status = advanceLink(link.status, snapshot.status)
    const change = {
      status,
      payment_link_id: snapshot.paymentLinkId,
      redirect_url: snapshot.redirectUrl,
      amount_paid_paise: paise(payments.reduce((sum, payment) => sum + payment.amount_paise, 0n)),
      rps_updated: isAllApplied({ ...link, status }, payments),
      provider_checked_at: now,
      ...(status === 'paid' && status !== link.status && { next_check_at: new Date(now.getTime() + applyRetryMs) }),
    }
    await changeLink(sql, key, change)
    if (status !== link.status) await addHistory(sql, key, { at: now, from: link.status, to: status, ...report })
    return { ...link, ...change }
  })
}

/** Everything the link took is in the ledger; of a paid link that is its whole amount, even while the provider shows only a part. */
function isAllApplied(link: LinkRow, payments: readonly ProviderPaymentRow[]): boolean {
  const posted = payments.filter((payment) => payment.transaction_id !== null)
  const postedPaise = posted.reduce((sum, payment) => sum + payment.amount_paise, 0n)
  return posted.length > 0 && posted.length === payments.length && (link.status !== 'paid' || postedPaise >= link.amount_paise)
}

/** The wrong reference, link or amount must never move a loan. */
function mismatchOf(link: LinkRow, snapshot: LinkSnapshot): string | null {
  if (snapshot.reference !== link.reference) return 'reference'
  if (link.payment_link_id !== null && snapshot.paymentLinkId !== link.payment_link_id) return 'payment_link_id'
  return snapshot.amountPaise === link.amount_paise ? null : 'amount'
}

/** Under the loan's row lock: posts what is not posted yet, and only then says that the loan is updated. */
async function postReceivedMoney({ database, clock, failPoint }: Context, key: LinkKey): Promise<LinkRow> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    // The loan before the link, as everywhere, so that no two transactions wait for each other.
    let own = await lockOwnLoan(sql, key.borrowerId, (await readLink(sql, key)).loan_id)
    const link = await lockLink(sql, key)
    await failPoint('posting_begun')
    const now = clock.now()
    for (const payment of await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])) {
      if (payment.transaction_id !== null) continue
      const received = await postPayment(sql, own, link, payment, now)
      await addNotice(
        sql,
        {
          borrowerId: key.borrowerId,
          about: `payment:${received.paymentId}`,
          kind: 'payment_applied',
          lan: own.loan.lan,
          amountPaise: received.amountPaise,
          date: received.date,
        },
        now,
      )
      own = { ...own, facts: withPayment(own.facts, received) }
    }
    const payments = await providerPaymentsOf(sql, key.borrowerId, [key.paymentIntentId])
    const change = { rps_updated: isAllApplied(link, payments), settled_at: now }
    await changeLink(sql, key, change)
    await failPoint('posting_written')
    return { ...link, ...change }
  })
}
