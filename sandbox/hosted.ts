import type { Call } from './faults.ts'
import { notFoundPage, payPage, statusPage, successPage, type View } from './hosted-page.ts'
import type { Lang } from './hosted-texts.ts'
import { seeOther, type Answer, type HttpRequest, type Reply } from './http.ts'
import { VPAS, VPA_FAILURE } from './instruments.ts'
import { isPayable, openOrder } from './links.ts'
import { NotPayable, OUTCOMES, payLink, type Outcome } from './payments.ts'
import { returnUrl } from './redirect.ts'
import { strike } from './strike.ts'
import type { World } from './world.ts'

/** Answers `/i/:slug`, `/i/:slug/pay` and `/i/:slug/done`: what the customer sees. */
export async function answerHosted(world: World, request: HttpRequest): Promise<Reply> {
  const [, , slug = '', step = ''] = request.path.split('/')
  const form = new URLSearchParams(request.body)
  const lang: Lang = (form.get('lang') ?? request.query.get('lang')) === 'hi' ? 'hi' : 'en'
  const link = world.store.linkBySlug(slug)
  if (!link) return notFoundPage(lang)
  const view: View = { world, link, lang, address: addressOf(request, slug) }
  const call: Call = request.method === 'POST' ? 'page_pay' : 'page'
  const fault = world.faults.take(call, {
    payment_link_id: link.id,
    reference_id: link.reference_id,
    amount: link.amount,
  })
  return await strike(fault, () => {
    if (request.method === 'GET' && step === '') return show(view, request)
    if (request.method === 'POST' && step === 'pay') return pay(view, form)
    if (request.method === 'GET' && step === 'done') return done(view, request)
    // Someone reloaded the address of the form's answer.
    return seeOther(`/i/${slug}?lang=${lang}`)
  })
}

/** After a refused POST the address is the form's own page. */
function addressOf(request: HttpRequest, slug: string): string {
  if (request.method !== 'GET') return `/i/${slug}`
  const query = new URLSearchParams(request.query)
  query.delete('lang')
  return query.size === 0 ? request.path : `${request.path}?${query.toString()}`
}

function show(view: View, request: HttpRequest): Answer {
  const { world, link } = view
  if (!isPayable(world, link)) return statusPage(view)
  openOrder(world, link)
  const attempt = world.store.get('payment', request.query.get('attempt') ?? '')
  const failed = attempt?.link_id === link.id && attempt.status === 'failed' ? attempt : undefined
  return payPage(view, { failed })
}

function pay(view: View, form: URLSearchParams): Answer {
  const { world, link, lang } = view
  const back = (path: string, query: Record<string, string>): Answer =>
    seeOther(`/i/${link.slug}${path}?${new URLSearchParams({ ...query, lang }).toString()}`)
  const vpa = (form.get('vpa') ?? '').trim().toLowerCase()
  const asked = OUTCOMES.find((one) => one === form.get('outcome')) ?? 'success'
  const isVpaKnown = VPAS.includes(vpa)
  if (!isVpaKnown && asked !== 'failure') return payPage(view, { wrongVpa: vpa })
  const outcome: Outcome = vpa === VPA_FAILURE ? 'failure' : asked
  try {
    const { payment } = payLink(world, link, {
      method: 'upi',
      outcome,
      instrument: { vpa: outcome === 'failure' ? VPA_FAILURE : vpa },
    })
    if (payment.status === 'failed') return back('', { attempt: payment.id })
    const lost: Record<string, string> = outcome === 'success_no_redirect' ? { stay: '1' } : {}
    return back('/done', { payment: payment.id, ...lost })
  } catch (error) {
    // Paid in another tab, expired or cancelled meanwhile: the link's own page says which.
    if (error instanceof NotPayable) return back('', {})
    throw error
  }
}

function done(view: View, request: HttpRequest): Answer {
  const { world, link } = view
  const payment = world.store.get('payment', request.query.get('payment') ?? '')
  if (payment?.link_id !== link.id || !payment.captured) return statusPage(view)
  const isReturnLost = request.query.get('stay') === '1'
  const returnTo = isReturnLost ? null : returnUrl(world, link, payment)
  return successPage(view, payment, returnTo, isReturnLost)
}
