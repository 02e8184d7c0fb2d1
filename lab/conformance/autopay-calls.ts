import { pathTo, type Body, type Call } from './call.ts'
import { problem } from './entities.ts'
import { day, exactly, flag, instant, listOf, nullable, object, oneOf, positive, rupees, text, webAddress } from './shape.ts'
import { countMessages, kept, nextCode, type Visit } from './visit.ts'

/** The calls of autopay, which are not in the specification. */

const loanQuery = (visit: Visit) => ({ application_id: kept(visit, 'lan') })
const mandatePath = (visit: Visit, action = '') => `/portal/autopay/mandates/${kept(visit, 'mandate')}${action}`

const mandateStatus = oneOf('creating', 'issued', 'initiated', 'active', 'paused', 'ending', 'ended', 'expired', 'cancelled', 'rejected')
const mandate = object({
  id: text,
  reference: text,
  lan: text,
  method: oneOf('upi', 'emandate'),
  auth_type: nullable(oneOf('netbanking', 'debitcard', 'aadhaar')),
  status: mandateStatus,
  reason: nullable(text),
  paused_by: nullable(oneOf('portal', 'app')),
  max_amount: rupees,
  debit_limit: rupees,
  account_hint: nullable(text),
  consent_version: text,
  created_at: instant,
  active_at: nullable(instant),
  ended_at: nullable(instant),
  redirect_url: nullable(webAddress),
  expires_at: nullable(instant),
})
const collection = object({
  id: text,
  reference: text,
  lan: text,
  mandate_id: text,
  due_date: day,
  amount: rupees,
  attempt: positive,
  status: oneOf('planned', 'announced', 'presented', 'captured', 'failed', 'skipped'),
  reason: nullable(text),
  debit_on: day,
  announced_at: nullable(instant),
  delivered_at: nullable(instant),
  presented_at: nullable(instant),
  expected_by: nullable(instant),
  skip_until: nullable(instant),
  retry: nullable(object({ from: day, until: day })),
  parts: listOf(object({ amount: rupees }), 1),
  steps: listOf(object({ step: text, at: instant })),
})
const offer = object({
  methods: listOf(object({ method: oneOf('upi', 'emandate'), max_amount: rupees, limit: rupees, pin_each_time: flag }), 1),
  debit_day: positive,
  first_debit_on: day,
  consent_version: text,
  consent_text: text,
})
const mandateThat = (status: string) => object({ mandate: object({ status: exactly(status) }) })

const setUp = (visit: Visit) => ({
  application_id: kept(visit, 'lan'),
  method: kept(visit, 'autopay method'),
  consent_version: kept(visit, 'consent'),
  ...(kept(visit, 'autopay method') === 'emandate' && {
    auth_type: 'netbanking',
    account: { beneficiary_name: 'Asha Kumar', account_number: '112143112154', account_type: 'savings', ifsc_code: 'HDFC0000001' },
  }),
})

/** The borrower sets up autopay, pauses and resumes it, skips a debit, and cancels. */
export const autopayCalls: readonly Call[] = [
  pathTo('/portal/autopay', {
    when: 'before it is set up',
    query: loanQuery,
    answer: object({ mandate: nullable(mandate), offer, next_collection: exactly(null) }),
    keep: (body, visit) => {
      const { methods, consent_version } = body['offer'] as { methods: { method: string }[]; consent_version: string }
      visit.kept.set('autopay method', String(methods[0]?.method))
      visit.kept.set('consent', consent_version)
    },
  }),
  pathTo('/portal/autopay/mandates', {
    method: 'POST',
    when: 'without agreement',
    body: (visit) => ({ ...setUp(visit), consent_version: 'none' }),
    status: 422,
    answer: problem(422, 'AutopayFieldInvalid'),
  }),
  pathTo('/portal/autopay/mandates', {
    method: 'POST',
    body: setUp,
    answer: object({ mandate, redirect_url: webAddress, expires_at: instant }),
    keep: (body, visit) => void visit.kept.set('mandate', String((body['mandate'] as Body)['id'])),
  }),
  pathTo('/portal/autopay/mandates', { method: 'POST', when: 'a second', body: setUp, status: 409, answer: problem(409, 'MandateExists') }),
  pathTo('/portal/autopay/mandates/{id}', {
    when: 'after the approval',
    before: approve,
    at: (visit) => mandatePath(visit),
    isAwaited: true,
    answer: object({ mandate }),
    answerNow: () => mandateThat('active'),
  }),
  pathTo('/portal/autopay/collections', {
    query: loanQuery,
    isAwaited: true,
    answer: object({ collections: listOf(collection, 1) }),
    keep: (body, visit) => void visit.kept.set('collection', String((body['collections'] as Body[])[0]?.['id'])),
  }),
  ...(['pause', 'resume'] as const).map((action) =>
    pathTo(`/portal/autopay/mandates/{id}/${action}`, {
      method: 'POST',
      at: (visit) => mandatePath(visit, `/${action}`),
      answer: object({ mandate }),
      answerNow: () => mandateThat(action === 'pause' ? 'paused' : 'active'),
    }),
  ),
  pathTo('/portal/autopay/collections/{id}/skip', {
    method: 'POST',
    at: (visit) => `/portal/autopay/collections/${kept(visit, 'collection')}/skip`,
    answer: object({ collection }),
    answerNow: () => object({ collection: object({ status: exactly('skipped'), reason: exactly('borrower') }) }),
  }),
  pathTo('/portal/autopay/collections/{id}/retry', {
    method: 'POST',
    when: 'of one that did not fail',
    at: (visit) => `/portal/autopay/collections/${kept(visit, 'collection')}/retry`,
    body: () => ({ date: '2030-01-01' }),
    status: 409,
    answer: problem(409, 'CollectionNotChangeable'),
  }),
  pathTo('/portal/autopay/mandates/{id}/cancel-code', {
    method: 'POST',
    before: async (visit) => void visit.kept.set('messages', String(countMessages(visit, visit.phone))),
    at: (visit) => mandatePath(visit, '/cancel-code'),
    answer: object({ session_token: text }),
    keep: async (body, visit) => {
      visit.kept.set('session', String(body['session_token']))
      visit.kept.set('code', await nextCode(visit, visit.phone, Number(kept(visit, 'messages'))))
    },
  }),
  pathTo('/portal/autopay/mandates/{id}/cancel', {
    method: 'POST',
    at: (visit) => mandatePath(visit, '/cancel'),
    body: (visit) => ({ session_token: kept(visit, 'session'), otp: kept(visit, 'code') }),
    answer: object({ mandate: object({ status: oneOf('ending', 'ended') }) }),
  }),
  pathTo('/portal/autopay/mandates/{id}', {
    when: 'after its end at the bank',
    before: (visit) => control(visit, `/mandates/${kept(visit, 'token')}/cancel`).then(() => {}),
    at: (visit) => mandatePath(visit),
    isAwaited: true,
    answer: object({ mandate }),
    answerNow: () => mandateThat('ended'),
  }),
]

/** Calls the control API of the sandbox. */
async function control(visit: Visit, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${visit.sandbox}/__sandbox${path}`, path === '/state' ? {} : { method: 'POST' })
  if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}`)
  return (await response.json()) as Record<string, unknown>
}

/** Approves the mandate on the sandbox's page, and as the bank. */
async function approve(visit: Visit): Promise<void> {
  const { registrations } = (await control(visit, '/state')) as { registrations: { id: string; status: string }[] }
  const open = registrations.filter(({ status }) => status === 'issued').at(-1)
  const { token } = (await control(visit, `/registrations/${open?.id}/approve`)) as { token: { id: string } }
  visit.kept.set('token', token.id)
  if (kept(visit, 'autopay method') === 'emandate') await control(visit, `/mandates/${token.id}/confirm`)
}
