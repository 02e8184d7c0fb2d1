import { allowedPayments, claims, linkStatus, linkThat, loan, paymentLink, permission, problem, scheduleRow, user } from './entities.ts'
import { both, exactly, flag, listOf, nullable, object, optional, text, webAddress, type Shape } from './shape.ts'
import { countMessages, kept, nextCode, payAtSandbox, type Visit } from './visit.ts'

/** A call of the specification's table (§7), and what must be true of its answer. */
export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** Which of several calls of this path it is. */
  when?: string
  /** Calls of the table that carry no token. */
  isOpen?: boolean
  query?: (visit: Visit) => Record<string, string>
  body?: (visit: Visit) => unknown
  /** Done before the call: what a person would do meanwhile. */
  before?: (visit: Visit) => Promise<void>
  status?: number
  answer: Shape
  /** What is known only on the way: looked at beside `answer`. */
  answerNow?: (visit: Visit) => Shape
  /** Remembers what later calls need. */
  keep?: (body: Body, visit: Visit) => void | Promise<void>
  /** Asked again until the answer is right: something happens behind it. */
  isAwaited?: boolean
}
type Body = Record<string, unknown>

const done = object({ success: exactly(true) })
const loanQuery = (visit: Visit) => ({ application_id: kept(visit, 'lan') })
const linkQuery = (visit: Visit) => ({ payment_link_id: kept(visit, 'link') })
const pathTo = (path: string, of: Partial<Call> & Pick<Call, 'answer'>): Call => ({ method: 'GET', path, ...of })

/** In this order: a borrower signs in, looks, starts a payment, cancels it, pays another, and signs out. */
export const calls: readonly Call[] = [
  pathTo('/auth/login', {
    method: 'POST',
    when: 'a number that nobody has',
    isOpen: true,
    body: () => ({ phone: '+919000000099' }),
    status: 404,
    answer: problem(404, 'AuthUserNotFoundError'),
  }),
  pathTo('/auth/login', {
    method: 'POST',
    isOpen: true,
    before: async (visit) => void visit.kept.set('messages', String(countMessages(visit))),
    body: (visit) => ({ phone: `+91${visit.phone}` }),
    // 'session, or session_token' (§3): both readings must find it.
    answer: object({ session: text, session_token: text }),
    keep: async (body, visit) => {
      visit.kept.set('session', String(body['session_token']))
      visit.kept.set('code', await nextCode(visit, Number(kept(visit, 'messages'))))
    },
  }),
  pathTo('/auth/verify', {
    method: 'POST',
    when: 'a wrong code',
    isOpen: true,
    body: (visit) => ({ session_token: kept(visit, 'session'), otp: kept(visit, 'code') === '000000' ? '000001' : '000000' }),
    status: 400,
    answer: problem(400, 'AuthInvalidOTPError'),
  }),
  pathTo('/auth/verify', {
    method: 'POST',
    isOpen: true,
    body: (visit) => ({ session_token: kept(visit, 'session'), otp: kept(visit, 'code') }),
    answer: object({ token: bearerToken, user }),
    keep: (body, visit) => {
      visit.token = String(body['token'])
    },
  }),
  pathTo('/auth/permissions', { answer: object({ permissions: listOf(permission, 1) }) }),
  pathTo('/portal/loans-summary', {
    answer: object({ loans: listOf(loan, 1) }),
    keep: (body, visit) => {
      const loans = body['loans'] as Body[]
      const chosen = loans.find((one) => one['loan_status'] === 'ACTIVE') ?? loans[0]
      visit.kept.set('lan', String(chosen?.['lan']))
      visit.kept.set('lead', String(chosen?.['lead_id'] ?? chosen?.['lan']))
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
  pathTo('/auth/logout', { method: 'POST', answer: done }),
  pathTo('/auth/permissions', { when: 'after logging out', status: 401, answer: object({ status: exactly(401), code: text }) }),
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

/** The specification's answer has the address alone; the id is then that of the link which is now under way. */
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

function bearerToken(value: unknown, at: string): string[] {
  const payload = typeof value === 'string' ? value.split('.')[1] : undefined
  if (payload === undefined) return [`${at} is not a token of three parts`]
  return claims(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), `${at} claims`)
}

function newestIs(shape: Shape): Shape {
  return (body) => shape((body as { payment_links: unknown[] }).payment_links?.[0], 'payment_links[0]')
}
