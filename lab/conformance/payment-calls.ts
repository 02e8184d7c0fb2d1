import { done, pathTo, type Body, type Call } from './call.ts'
import { allowedPayments, linkStatus, linkThat, loan, paymentLink, permission, scheduleRow } from './entities.ts'
import { both, exactly, flag, listOf, nullable, object, optional, text, webAddress, type Shape } from './shape.ts'
import { kept, payAtSandbox, type Visit } from './visit.ts'

const loanQuery = (visit: Visit) => ({ application_id: kept(visit, 'lan') })
const linkQuery = (visit: Visit) => ({ payment_link_id: kept(visit, 'link') })

/** The borrower reads the loan, starts a payment, cancels it, and pays another. */
export const paymentCalls: readonly Call[] = [
  pathTo('/auth/permissions', { answer: object({ permissions: listOf(permission, 1) }) }),
  pathTo('/portal/loans-summary', {
    answer: object({ loans: listOf(loan, 1) }),
    keep: (body, visit) => {
      const loans = body['loans'] as Body[]
      const chosen = loans.find((one) => one['loan_status'] === 'ACTIVE') ?? loans[0]
      visit.kept.set('lan', String(chosen?.['lan']))
      visit.kept.set('lead', String(chosen?.['lead_id'] ?? chosen?.['lan']))
      visit.kept.set('partner loan', String(chosen?.['partner_loan_id'] ?? ''))
    },
  }),
  pathTo('/portal/repayment-schedule', {
    query: (visit) => ({ lead_id: kept(visit, 'lead') }),
    answer: object({ repayment_schedule: listOf(scheduleRow, 1), allowed_payments: allowedPayments }),
    keep: (body, visit) => keepOffer(body['allowed_payments'] as Offers, visit),
  }),
  pathTo('/portal/ongoing-payment', {
    when: 'before a payment',
    query: loanQuery,
    answer: object({ payment_link: nullable(paymentLink) }),
  }),
  newLink(),
  pathTo('/portal/ongoing-payment', {
    when: 'while a link is open',
    query: loanQuery,
    answer: object({ payment_link: paymentLink }),
    answerNow: (visit) => object({ payment_link: linkThat(kept(visit, 'link'), 'created') }),
  }),
  pathTo('/portal/payment-link/status', {
    when: 'of an open link',
    query: linkQuery,
    answer: object({ status: exactly('created'), rps_updated: exactly(false) }),
  }),
  pathTo('/payments/payment-link/cancel', {
    method: 'PATCH',
    query: linkQuery,
    answer: done,
    answerNow: (visit) => object({ payment_link: optional(linkThat(kept(visit, 'link'), 'cancelled')) }),
  }),
  pathTo('/portal/payment-link/status', {
    when: 'of a cancelled link',
    query: linkQuery,
    answer: object({ status: exactly('cancelled'), rps_updated: flag }),
  }),
  { ...newLink(), when: 'after a cancelled one' },
  pathTo('/portal/payment-link/status', {
    when: 'of a paid link',
    before: (visit) => payAtSandbox(visit, kept(visit, 'link')),
    query: linkQuery,
    isAwaited: true,
    answer: both(object({ status: linkStatus }), object({ status: exactly('paid'), rps_updated: exactly(true) })),
  }),
  pathTo('/portal/ongoing-payment', { when: 'after paying', query: loanQuery, answer: object({ payment_link: exactly(null) }) }),
  pathTo('/portal/completed-payments', {
    query: loanQuery,
    answer: object({ payment_links: listOf(paymentLink, 1) }),
    answerNow: (visit) => newestIs(linkThat(kept(visit, 'link'), 'paid')),
  }),
]

function newLink(): Call {
  return pathTo('/portal/payment-link', {
    method: 'POST',
    query: () => ({ use_razorpay: 'true' }),
    body: (visit) => ({
      amount: Number(kept(visit, 'amount')),
      lead_id: kept(visit, 'lead'),
      purpose: kept(visit, 'purpose'),
      application_id: kept(visit, 'lan'),
      callback_url: `${visit.origin}/payments/waiting-for-payment`,
    }),
    answer: object({ redirect_url: webAddress, payment_link_id: optional(text) }),
    keep: (body, visit) => keepLink(body, visit),
  })
}

type Offers = Record<'overdue_payment' | 'next_emi_payment', { amount: number } | undefined>

function keepOffer(offers: Offers, visit: Visit): void {
  const overdue = offers.overdue_payment?.amount ?? 0
  visit.kept.set('purpose', overdue > 0 ? 'OVERDUE' : 'PAY_EMI')
  visit.kept.set('amount', String(overdue > 0 ? overdue : offers.next_emi_payment?.amount))
}

/**
 * The specification's answer has only the URL; the id is that of the ongoing payment.
 */
async function keepLink(body: Body, visit: Visit): Promise<void> {
  if (typeof body['payment_link_id'] === 'string') {
    visit.kept.set('link', body['payment_link_id'])
    return
  }
  const url = `${visit.origin}/api/v1/portal/ongoing-payment?application_id=${kept(visit, 'lan')}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${visit.token ?? ''}` } })
  const { payment_link: link } = (await response.json()) as { payment_link: { payment_link_id: string } }
  visit.kept.set('link', link.payment_link_id)
}

function newestIs(shape: Shape): Shape {
  return (body) => shape((body as { payment_links: unknown[] }).payment_links?.[0], 'payment_links[0]')
}
