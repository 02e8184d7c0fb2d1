import { paise } from '#domain/money.ts'
import type { PaymentGateway } from '#server/adapters/payment-gateway/payment-gateway.ts'
import { razorpayGateway } from '#server/adapters/payment-gateway/razorpay.ts'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Config } from '#server/config/config.ts'
import { clockFinding, type Finding } from './finding.ts'

const timeoutMs = 10_000
const providerPorts: ReadonlySet<string> = new Set(['', '443', '80'])

/**
 * Fetches a link that cannot exist: the answer proves connection and keys and contains the
 * provider's time.
 */
export async function providerFindings({ razorpay, sandboxPort, autopay }: Config): Promise<Finding[]> {
  const baseUrl = razorpay.baseUrl ?? `http://127.0.0.1:${sandboxPort}`
  const askedAt = Date.now()
  const answer = await fetch(baseUrl, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).catch(() => null)
  if (!answer) return [{ state: 'wrong', about: 'provider', message: `${baseUrl} cannot be reached` }]
  const date = Date.parse(answer.headers.get('date') ?? '')
  const gateway = razorpayGateway({ ...razorpay, baseUrl })
  const outcome = await gateway.findLinkByReference('kist-doctor')
  return [
    outcome.kind === 'unknown'
      ? { state: 'wrong', about: 'provider', message: `${baseUrl} refuses the keys or does not answer: ${outcome.reason}` }
      : { state: 'ok', about: 'provider', message: `${baseUrl} accepts the keys` },
    ...(outcome.kind === 'unknown' ? [] : [await autopayFinding(gateway, autopay)]),
    // The header has whole seconds; half a second is the mean error.
    ...(Number.isNaN(date) ? [] : [clockFinding('the provider', date + 500 - (askedAt + Date.now()) / 2)]),
  ]
}

/** What the provider answers to a call of a product that the account does not have. */
const notEnabledAnswer = /URL was not found|not enabled/i
const noOrder = { orderId: 'order_KistDoctor0000', customerId: 'cust_KistDoctor0000', tokenId: 'token_KistDoctor0000' }

/** Asks for a debit of an order that cannot exist: the refusal shows whether the account may. */
async function autopayFinding({ requestDebit }: PaymentGateway, { rules: { methods }, email }: Config['autopay']): Promise<Finding> {
  const finding = (state: Finding['state'], message: string): Finding => ({ state, about: 'autopay', message })
  if (methods.length === 0) return finding('ok', 'not offered: KIST_AUTOPAY_METHODS is not set')
  const customer = { email, phone: '+910000000000' }
  const outcome = await requestDebit({
    ...noOrder,
    customer,
    amountPaise: paise(100n),
    reference: 'kist-doctor',
    description: 'kist doctor',
  })
  const offered = `${methods.join(' and ')} offered, and`
  if (outcome.kind !== 'refused') return finding('warning', `${offered} the provider did not say whether recurring payments are enabled`)
  return notEnabledAnswer.test(outcome.reason)
    ? finding('wrong', `${offered} recurring payments are not enabled at the account: ${outcome.reason}`)
    : finding('ok', `${offered} recurring payments are enabled at the account`)
}

/** Whether webhooks to the public address reach Kist: it must refuse one with a wrong signature. */
export async function webhookFindings({ origins, production }: Config): Promise<Finding[]> {
  const [origin = ''] = origins
  const { protocol, port } = new URL(origin)
  const address = `${origin}${apiPrefix}/webhooks/razorpay`
  const finding = (state: Finding['state'], message: string): Finding => ({ state, about: 'webhooks', message })
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-razorpay-signature': 'of the doctor' },
    body: '{}',
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => (error as Error).message)
  if (typeof answer === 'string')
    return [finding('wrong', `${address} cannot be reached from here (${answer}): is Kist running, and is KIST_ORIGIN correct?`)]
  const { code } = (await answer.json().catch(() => ({}))) as { code?: string }
  if (answer.status !== 400 || code !== 'WebhookSignatureInvalid')
    return [finding('wrong', `${address} answers ${answer.status}, which Kist never does: something between answers for it`)]
  const isPublic = protocol === 'https:' && providerPorts.has(port)
  return [
    finding('ok', `${address} is answered by Kist`),
    ...(production && !isPublic ? [finding('wrong', 'the provider sends to port 443 or 80 alone, and only https is safe')] : []),
  ]
}

export async function collectorFindings({ traces }: Config): Promise<Finding[]> {
  if (!traces) return [{ state: 'ok', about: 'collector', message: 'no spans are sent' }]
  const answer = await fetch(`${traces.url.replace(/\/$/, '')}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"resourceSpans":[]}',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return [{ state: answer.ok ? 'ok' : 'warning', about: 'collector', message: `${traces.url} answers ${answer.status}` }]
}
