import type { Payment } from './entities.ts'
import type { Call } from './faults.ts'
import { bankPage, upiAppPage } from './hosted-bank.ts'
import { readForm, typedOf } from './hosted-form.ts'
import { pendingPage, returnedPage, statusPage, successPage } from './hosted-page.ts'
import { payPage } from './hosted-pay.ts'
import { notFoundPage, type View } from './hosted-sheet.ts'
import { languageOf, type Lang } from './hosted-texts.ts'
import { json, seeOther, type Answer, type HttpRequest, type Reply } from './http.ts'
import { failureOf, failingVpa, succeedingVpa } from './instruments.ts'
import { isPayable, openOrder } from './links.ts'
import { answerOfBank, beginAtBank, NotPayable, payLink, type PayRequest } from './payments.ts'
import { answerRegistrationPage } from './recurring/hosted.ts'
import { returnUrl } from './redirect.ts'
import { applyFault } from './apply-fault.ts'

/** A step of the page below `/i/:slug`. */
type Step = (view: View, request: HttpRequest, form: URLSearchParams) => Answer

const steps: Readonly<Record<string, Step>> = {
  'GET ': show,
  'POST pay': pay,
  'GET bank': atBank,
  'POST bank': backFromBank,
  'GET upi': upiApp,
  'POST upi': backFromUpiApp,
  'GET status': status,
  'GET done': done,
}

/** Answers `/i/:slug` and the paths below it: the hosted page. */
export async function answerHosted(context: View['context'], request: HttpRequest): Promise<Reply> {
  const [, , slug = '', step = ''] = request.path.split('/')
  const form = new URLSearchParams(request.body)
  const registration = context.store.registrationBySlug(slug)
  if (registration) return await answerRegistrationPage(context, registration, step, request)
  const link = context.store.linkBySlug(slug)
  const lang: Lang = languageOf(request, form, link?.notes)
  if (!link) return notFoundPage(lang)
  const view: View = { context, link, lang, address: addressOf(request, slug) }
  const call: Call = request.method === 'POST' ? 'page_pay' : 'page'
  const fault = context.faults.take(call, {
    payment_link_id: link.id,
    reference_id: link.reference_id,
    amount: link.amount,
  })
  return await applyFault(fault, () => {
    const take = steps[`${request.method} ${step}`]
    // The address of a form's answer was reloaded.
    return take ? take(view, request, form) : back(view, '', {})
  })
}

/** After a refused POST the address is the form's own page. */
function addressOf(request: HttpRequest, slug: string): string {
  if (request.method !== 'GET') return `/i/${slug}`
  const query = new URLSearchParams(request.query)
  query.delete('lang')
  return query.size === 0 ? request.path : `${request.path}?${query.toString()}`
}

function back({ link, lang }: View, path: string, query: Readonly<Record<string, string>>): Answer {
  return seeOther(`/i/${link.slug}${path}?${new URLSearchParams({ ...query, lang }).toString()}`)
}

function show(view: View, request: HttpRequest): Answer {
  const { context, link } = view
  if (!isPayable(context, link)) return statusPage(view)
  openOrder(context, link)
  const attempt = ownPayment(view, request.query.get('attempt'))
  const failed = attempt?.status === 'failed' ? attempt : undefined
  return payPage(view, { failed, typed: failed ? { method: failed.method } : {}, wrong: {} })
}

function pay(view: View, _request: HttpRequest, form: URLSearchParams): Answer {
  const { context, link } = view
  const order = readForm(context, link, form)
  if (order.kind === 'wrong') {
    return isPayable(context, link) ? payPage(view, { typed: typedOf(form), wrong: order.fields }) : back(view, '', {})
  }
  return whilePayable(view, () => {
    if (order.kind === 'bank') return back(view, '/bank', { payment: beginAtBank(context, link, order.request).payment.id })
    if (order.kind === 'twice') return payTwice(view, order.request)
    const { payment } = payLink(context, link, order.request)
    const lost: Record<string, string> = order.request.outcome === 'success_no_redirect' ? { stay: '1' } : {}
    return after(view, payment, lost)
  })
}

/** Both payments start before either is captured: the second finds the order paid. */
function payTwice(view: View, request: PayRequest): Answer {
  const { context, link } = view
  const [one, other] = [beginAtBank(context, link, request), beginAtBank(context, link, request)]
  const first = answerOfBank(context, one.payment, null).payment
  answerOfBank(context, other.payment, null)
  return after(view, first, { twice: '1' })
}

function after(view: View, payment: Payment, search: Readonly<Record<string, string>> = {}): Answer {
  if (payment.status === 'failed') return back(view, '', { attempt: payment.id })
  return back(view, '/done', { payment: payment.id, ...search })
}

/** Runs `work` while the link is payable; otherwise shows the link's page, which says why not. */
function whilePayable(view: View, work: () => Answer): Answer {
  try {
    return work()
  } catch (error) {
    if (error instanceof NotPayable) return back(view, '', {})
    throw error
  }
}

function atBank(view: View, request: HttpRequest): Answer {
  const payment = ownPayment(view, request.query.get('payment'))
  if (!payment) return back(view, '', {})
  return payment.status === 'created' ? bankPage(view, payment, false) : after(view, payment)
}

function backFromBank(view: View, _request: HttpRequest, form: URLSearchParams): Answer {
  const payment = ownPayment(view, form.get('payment'))
  if (!payment) return back(view, '', {})
  // The bank's page was sent twice, or left open until the payment had failed by itself.
  if (payment.status !== 'created') return after(view, payment)
  const answer = form.get('answer')
  const otp = (form.get('otp') ?? '').trim()
  const isGiven = /^\d{1,10}$/.test(otp)
  if (answer === 'otp' && !isGiven) return bankPage({ ...view, address: `/i/${view.link.slug}/bank?payment=${payment.id}` }, payment, true)
  const isYes = payment.error === null && (answer === 'success' || (answer === 'otp' && otp.length >= 4))
  const error = isYes ? null : answer === 'cancel' ? failureOf(payment.method, 'payment_cancelled') : refusalOf(payment)
  return after(view, answerOfBank(view.context, payment, error).payment)
}

/**
 * A test card fails for its own reason, whatever the password; any other by a password that is too
 * short.
 */
function refusalOf(payment: Payment): Payment['error'] {
  return payment.error ?? failureOf(payment.method, payment.method === 'card' ? 'authentication_failed' : undefined)
}

function upiApp(view: View): Answer {
  return isPayable(view.context, view.link) ? upiAppPage(view) : statusPage(view)
}

function backFromUpiApp(view: View, _request: HttpRequest, form: URLSearchParams): Answer {
  const isYes = form.get('answer') === 'approve'
  const vpa = isYes ? succeedingVpa : failingVpa
  return whilePayable(view, () => {
    const request: PayRequest = { method: 'upi', outcome: isYes ? 'success' : 'failure', instrument: { vpa } }
    return after(view, payLink(view.context, view.link, request).payment)
  })
}

/** Polled by the page while its QR code is shown. */
function status({ context, link }: View): Answer {
  return json(200, { open: isPayable(context, link), payment: link.payments?.at(-1)?.payment_id ?? null })
}

function done(view: View, request: HttpRequest): Answer {
  const { context, link } = view
  const payment = ownPayment(view, request.query.get('payment'))
  if (payment?.status === 'created' && payment.planned) return pendingPage(view)
  if (payment?.status === 'failed') return after(view, payment)
  if (payment?.status === 'refunded' && !payment.captured) return returnedPage(view, payment)
  if (!payment?.captured) return statusPage(view)
  const isReturnLost = request.query.get('stay') === '1'
  const isTwice = request.query.get('twice') === '1'
  return successPage(view, payment, { returnTo: isReturnLost ? null : returnUrl(context, link, payment), isReturnLost, isTwice })
}

function ownPayment({ context, link }: View, id: string | null): Payment | undefined {
  const payment = context.store.get('payment', id ?? '')
  return payment?.link_id === link.id ? payment : undefined
}
