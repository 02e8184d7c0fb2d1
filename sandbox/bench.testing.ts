import { once } from 'node:events'
import * as fs from 'node:fs'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'

/** Set-up of the sandbox's tests; nothing else imports it. */

export const testKeyId = 'rzp_test_kist00000000'
export const testKeySecret = 'test-key-secret'
export const testWebhookSecret = 'test-webhook-secret'

export type LinkJson = {
  readonly id: string
  readonly status: string
  readonly amount: number
  readonly amount_paid: number
  readonly short_url: string
  readonly reference_id: string
  readonly expire_by: number
  readonly expired_at: number
  readonly cancelled_at: number
  readonly created_at: number
  readonly updated_at: number
  readonly notes: unknown
  readonly payments: readonly { readonly payment_id: string; readonly status: string }[] | null
}
type PaymentJson = {
  readonly id: string
  readonly status: string
  readonly order_id: string
  readonly captured: boolean
  readonly fee: number | null
  readonly tax: number | null
  readonly vpa: string | null
  readonly description: string
  readonly refund_status: string | null
  readonly acquirer_data: { readonly rrn?: string }
}
export type ErrorJson = {
  readonly error: { readonly code: string; readonly description: string; readonly field: string | null }
}
type DeliveryJson = {
  readonly event_id: string
  readonly event: string
  readonly status: string
  readonly attempts: readonly { readonly status: number | null }[]
}
export type StateJson = {
  readonly now: number
  readonly offset_ms: number
  readonly links: readonly LinkJson[]
  readonly payments: readonly PaymentJson[]
  readonly refunds: readonly { readonly payment_id: string }[]
  readonly webhook_deliveries: readonly DeliveryJson[]
}
export type PaidJson = {
  readonly payment_link: LinkJson
  readonly payment: PaymentJson
  readonly redirect_url: string | null
}

export type Reply<T> = { readonly status: number; readonly body: T }

/** A sandbox of one test, with the calls every test makes. */
export type Bench = {
  readonly sandbox: Sandbox
  readonly dataDir: string
  /** The authorization header of the API. */
  readonly authorization: string
  api<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>
  control<T>(path: string, body?: unknown): Promise<Reply<T>>
  state(): Promise<StateJson>
  /** Creates a link, of ₹500 by default. */
  link(input?: Record<string, unknown>): Promise<LinkJson>
  close(): Promise<void>
}

/** A port of the loopback on which nobody listens. */
export const deadUrl = 'http://127.0.0.1:9/webhooks'

let references = 0

export async function startBench(options: Partial<SandboxOptions> = {}): Promise<Bench> {
  const dataDir = options.dataDir ?? temporaryFolder()
  const sandbox = await startSandbox({
    port: 0,
    keySecret: testKeySecret,
    webhookSecret: testWebhookSecret,
    webhookUrl: deadUrl,
    retryScale: 0.01,
    // A busy machine may be slower than the provider's limit of 5 s.
    webhookTimeoutMs: 60_000,
    ...options,
    dataDir,
  })
  const close = async (): Promise<void> => {
    await sandbox.close()
    if (options.dataDir === undefined) fs.rmSync(dataDir, { recursive: true })
  }
  return { ...clientOf(sandbox.url), sandbox, dataDir, close }
}

/** A client of a running sandbox. */
export function clientOf(url: string): Omit<Bench, 'sandbox' | 'dataDir' | 'close'> {
  const send = async <T>(method: string, where: string, body: unknown, headers: Record<string, string>): Promise<Reply<T>> => {
    const answer = await fetch(url + where, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as T }
  }
  const authorization = `Basic ${Buffer.from(`${testKeyId}:${testKeySecret}`).toString('base64')}`
  const api: Bench['api'] = (method, where, body, headers = {}) => send(method, `/v1${where}`, body, { authorization, ...headers })
  return {
    api,
    authorization,
    control: (where, body = {}) => send('POST', `/__sandbox${where}`, body, {}),
    state: async () => (await send<StateJson>('GET', '/__sandbox/state', undefined, {})).body,
    link: async (input = {}) => {
      const reference_id = `ref-${process.pid}-${++references}`
      const made = await api<LinkJson>('POST', '/payment_links', { amount: 50_000, reference_id, ...input })
      if (made.status !== 200) throw new Error(JSON.stringify(made.body))
      return made.body
    },
  }
}

export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'sandbox-'))
}

/** One webhook as it arrived. */
type Received = {
  readonly event: string
  readonly eventId: string
  readonly signature: string
  readonly raw: string
}

/** A merchant's webhook endpoint whose answers the test chooses. */
export type Receiver = {
  readonly url: string
  readonly received: Received[]
  /** The status to answer to an attempt; null never answers. */
  answer: (received: Received) => number | null
  close(): Promise<void>
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8')
      const one: Received = {
        event: /"event":"([a-z_.]+)",/.exec(raw)?.[1] ?? '',
        eventId: String(request.headers['x-razorpay-event-id']),
        signature: String(request.headers['x-razorpay-signature']),
        raw,
      }
      receiver.received.push(one)
      const status = receiver.answer(one)
      if (status !== null) response.writeHead(status, { location: '/elsewhere' }).end()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received: [],
    answer: () => 200,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
