import { addDays, addMonths, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import type { Database, Sql } from '#server/database/connect.ts'
import { executeTogether } from '#server/database/statement.ts'
import { noFurtherCheck } from '#server/jobs/back-off.ts'
import { postRefund } from '#server/ledger/post-refund.ts'
import { receiveMoney } from '#server/ledger/receive-money.ts'
import { lockOwnLoan, type OwnLoan } from '#server/loans/own-loan.ts'
import { completedLinks } from '#server/payments/links/link-reads-store.ts'
import { buildLink } from '#server/payments/links/new-link.ts'
import { addHistory, addLink, changeLink, keyOf, lockLink } from '#server/payments/links/link-store.ts'
import { addProviderPayment, markPosted, listLinkPayments, type ProviderPaymentRow } from '#server/payments/provider-payment-store.ts'
import type { LinkRow } from '#server/ledger/open-links-store.ts'
import { toRepayment } from '#server/payments/posting/post-received-money.ts'
import { addRefund, changeRefund } from '#server/payments/refund-store.ts'
import type { AddedLoan } from './builders.ts'

/** Pays instalments `from` + 1 to `count` by payment links, two days before their due dates. */
export async function payInstalments(database: Database, key: AddedLoan, count: number, from = 0): Promise<void> {
  for (let paid = from; paid < count; paid++)
    await database.asBorrower(key.borrowerId, async (sql) => {
      const { facts } = await lockOwnLoan(sql, key.borrowerId, key.loanId)
      const paidOn = addDays(addMonths(facts.terms.firstDueDate, paid, facts.terms.dueDay), -2)
      const offer = loanStateDuring(facts, paidOn).allowed.nextEmi
      if (!offer) throw new Error(`Loan ${key.lan} has no instalment to pay on ${paidOn}`)
      await payByLink(sql, key, paidOn, offer.amountPaise)
    })
}

/**
 * A second payment of the last link, three minutes later, which the provider refunds after two
 * days.
 */
export function payTwice(database: Database, key: AddedLoan): Promise<void> {
  return database.asBorrower(key.borrowerId, async (sql) => {
    const own = await lockOwnLoan(sql, key.borrowerId, key.loanId)
    const [links] = await executeTogether(sql, [completedLinks.with({ borrowerId: key.borrowerId })])
    const last = links.find(({ loan_id }) => loan_id === key.loanId)
    const [first] = last ? await listLinkPayments(sql, key.borrowerId, [last.payment_intent_id]) : []
    if (!last || !first) throw new Error(`Loan ${key.lan} has no payment that could have been made twice`)
    const paidAt = new Date(first.paid_at.getTime() + 180_000)
    const again = (text: string) => `${text.slice(0, -1)}${text.endsWith('7') ? '8' : '7'}`
    await addProviderPayment(
      sql,
      last,
      {
        providerPaymentId: again(first.provider_payment_id),
        amountPaise: first.amount_paise,
        currency: 'INR',
        captured: true,
        refundedPaise: first.amount_paise,
        method: first.method,
        instrument: first.instrument,
        bankReference: again(first.bank_reference ?? ''),
        feePaise: zeroPaise,
        taxPaise: zeroPaise,
        paidAt,
      },
      paidAt,
    )
    await changeLink(sql, keyOf(last), { amount_paid_paise: paise(last.amount_paid_paise + first.amount_paise) })
    const payment = (await listLinkPayments(sql, key.borrowerId, [last.payment_intent_id])).at(-1)
    if (!payment) throw new Error('The payment was not recorded')
    await postPayment(sql, own, last, payment, 'duplicate')
    await refundIt(sql, key, payment, new Date(paidAt.getTime() + 2 * 86_400_000))
  })
}

async function refundIt(sql: Sql, { borrowerId, loanId }: AddedLoan, payment: ProviderPaymentRow, leftAt: Date): Promise<void> {
  const providerRefundId = payment.provider_payment_id.replace('pay_', 'rfnd_')
  const refund = await addRefund(sql, payment, {
    amount_paise: payment.amount_paise,
    reason: 'duplicate',
    provider_refund_id: providerRefundId,
    asked_at: payment.paid_at,
    asked_by: 'system',
    next_check_at: noFurtherCheck,
  })
  const own = await lockOwnLoan(sql, borrowerId, loanId)
  const money = { source: payment.provider, sourceId: providerRefundId, amountPaise: payment.amount_paise }
  const transactionId = await postRefund(sql, own, money, leftAt, refund.asked_by)
  const bankReference = [...(payment.bank_reference ?? '')].reverse().join('')
  await changeRefund(sql, refund, {
    status: 'processed',
    processed_at: leftAt,
    transaction_id: transactionId,
    bank_reference: bankReference,
  })
}

/**
 * Creates a past payment link with its payment and posts it by the portal's code: it pays the next
 * instalment, and what is more becomes credit.
 */
export async function payByLink(sql: Sql, key: AddedLoan, paidOn: Day, amountPaise: Paise): Promise<void> {
  const askedAt = new Date(startOfDayInIndiaMs(paidOn) + 9.2 * 3_600_000)
  const paidAt = new Date(askedAt.getTime() + 110_000)
  const own = await lockOwnLoan(sql, key.borrowerId, key.loanId)
  const order = { amount: amountPaise, purpose: 'PAY_EMI' as const, callback_url: 'http://localhost/payments/waiting-for-payment' }
  const link = buildLink(own, order, { now: askedAt, actorId: key.borrowerId, sessionId: null, sweepAfterSeconds: 900 })
  const linkKey = { borrowerId: key.borrowerId, paymentIntentId: link.payment_intent_id }
  const digits = link.payment_intent_id.replaceAll('-', '').slice(-14)
  await addLink(sql, link)
  await addProviderPayment(
    sql,
    link,
    {
      providerPaymentId: `pay_${digits}`,
      amountPaise,
      currency: 'INR',
      captured: true,
      refundedPaise: zeroPaise,
      method: 'upi',
      instrument: 'success@razorpay',
      bankReference: String(BigInt(`0x${digits}`))
        .slice(-12)
        .padStart(12, '4'),
      feePaise: zeroPaise,
      taxPaise: zeroPaise,
      paidAt,
    },
    paidAt,
  )
  await changeLink(sql, linkKey, {
    status: 'paid',
    payment_link_id: `plink_${digits}`,
    redirect_url: `http://localhost/i/plink_${digits}`,
    amount_paid_paise: amountPaise,
    rps_updated: true,
    settled_at: paidAt,
    next_check_at: noFurtherCheck,
  })
  const steps = [
    { at: askedAt, from: null, to: 'creating' },
    { at: askedAt, from: 'creating', to: 'created' },
    { at: paidAt, from: 'created', to: 'paid' },
  ] as const
  for (const step of steps) await addHistory(sql, linkKey, { ...step, source: 'borrower', actorId: key.borrowerId })
  const [payment] = await listLinkPayments(sql, key.borrowerId, [link.payment_intent_id])
  if (!payment) throw new Error('The payment was not recorded')
  await postPayment(sql, own, await lockLink(sql, linkKey), payment)
}

/** Posts a past payment with the clock at the time of the payment. */
async function postPayment(
  sql: Sql,
  own: OwnLoan,
  { purpose, created_by }: LinkRow,
  payment: ProviderPaymentRow,
  returnedAs: 'duplicate' | null = null,
): Promise<void> {
  const posted = await receiveMoney(sql, own, toRepayment(payment, { purpose, returnedAs }), payment.paid_at, created_by)
  await markPosted(sql, payment, posted.paymentId, payment.paid_at)
}
