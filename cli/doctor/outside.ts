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
export async function providerFindings({ razorpay, sandboxPort }: Config): Promise<Finding[]> {
  const baseUrl = razorpay.baseUrl ?? `http://127.0.0.1:${sandboxPort}`
  const askedAt = Date.now()
  const answer = await fetch(baseUrl, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).catch(() => null)
  if (!answer) return [{ state: 'wrong', about: 'provider', message: `${baseUrl} cannot be reached` }]
  const date = Date.parse(answer.headers.get('date') ?? '')
  const outcome = await razorpayGateway({ ...razorpay, baseUrl }).findLinkByReference('kist-doctor')
  return [
    outcome.kind === 'unknown'
      ? { state: 'wrong', about: 'provider', message: `${baseUrl} does not take our keys or does not answer: ${outcome.reason}` }
      : { state: 'ok', about: 'provider', message: `${baseUrl} takes our keys` },
    // The header has whole seconds; half a second is the mean error.
    ...(Number.isNaN(date) ? [] : [clockFinding('the provider', date + 500 - (askedAt + Date.now()) / 2)]),
  ]
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
    return [finding('wrong', `${address} cannot be reached from here (${answer}): is Kist running, and KIST_ORIGIN right?`)]
  const { code } = (await answer.json().catch(() => ({}))) as { code?: string }
  if (answer.status !== 400 || code !== 'WebhookSignatureInvalid')
    return [finding('wrong', `${address} answers ${answer.status}, which Kist would not: something in between takes it`)]
  const isPublic = protocol === 'https:' && providerPorts.has(port)
  return [
    finding('ok', `${address} is answered by Kist`),
    ...(production && !isPublic ? [finding('wrong', 'the provider sends to port 443 or 80 alone, and only https is safe')] : []),
  ]
}

export async function collectorFindings({ traces }: Config): Promise<Finding[]> {
  if (!traces) return [{ state: 'ok', about: 'collector', message: 'spans are sent nowhere' }]
  const answer = await fetch(`${traces.url.replace(/\/$/, '')}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"resourceSpans":[]}',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return [{ state: answer.ok ? 'ok' : 'warning', about: 'collector', message: `${traces.url} answers ${answer.status}` }]
}
