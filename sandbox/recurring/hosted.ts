import { applyFault } from '../apply-fault.ts'
import type { SandboxContext } from '../context.ts'
import { seeOther, type Answer, type HttpRequest, type Reply } from '../http.ts'
import { languageOf } from '../hosted-texts.ts'
import type { Registration } from './entities.ts'
import { requestPage, statePage, type MandateView } from './hosted-page.ts'
import { approveRegistration, declineRegistration, isOpenRegistration, NotOpen } from './registrations.ts'

/** Answers the page of a registration link, which never returns to the merchant. */
export async function answerRegistrationPage(
  context: SandboxContext,
  registration: Registration,
  step: string,
  request: HttpRequest,
): Promise<Reply> {
  const form = new URLSearchParams(request.body)
  const address = `/i/${registration.slug}`
  const view: MandateView = { context, registration, lang: languageOf(request, form, registration.notes), address }
  const call = request.method === 'POST' ? 'page_pay' : 'page'
  const fault = context.faults.take(call, { reference_id: registration.receipt, amount: registration.amount })
  return await applyFault(fault, () => {
    if (request.method === 'POST' && step === 'answer') return takeAnswer(view, form.get('answer'))
    if (request.method === 'GET' && step === '') return show(view, request)
    return back(view)
  })
}

function show(view: MandateView, request: HttpRequest): Answer {
  const isDeclined = request.query.get('declined') === '1'
  return isOpenRegistration(view.context, view.registration) && !isDeclined ? requestPage(view) : statePage(view)
}

function takeAnswer(view: MandateView, answer: string | null): Answer {
  const { context, registration } = view
  try {
    if (answer === 'approve') approveRegistration(context, registration)
    if (answer === 'reject_later') approveRegistration(context, registration, 'Rejected by bank')
    if (answer === 'decline') {
      declineRegistration(context, registration)
      return back(view, { declined: '1' })
    }
  } catch (error) {
    // The link was answered in another tab, was cancelled or has expired: its page says so.
    if (!(error instanceof NotOpen)) throw error
  }
  return back(view)
}

function back({ address, lang }: MandateView, query: Readonly<Record<string, string>> = {}): Answer {
  return seeOther(`${address}?${new URLSearchParams({ ...query, lang }).toString()}`)
}
