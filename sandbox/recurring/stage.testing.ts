import { vi } from 'vitest'
import { providerAt, type Answer, type Provider } from '../contract-support.testing.ts'
import { testKeyId, testKeySecret, startBench, startReceiver, type Bench, type Receiver } from '../bench.testing.ts'
import type { SandboxOptions } from '../sandbox.ts'

/** What the tests of recurring payments have in common. */

export const daySeconds = 24 * 60 * 60
/** A Wednesday morning in India; the day before is a holiday. */
export const startInIndia = '2026-11-25T07:00'

export type Json = Record<string, unknown> & { readonly id: string }
type ReceivedEvent = {
  readonly event: string
  readonly contains: readonly string[]
  readonly payload: Record<string, Record<string, unknown>>
}

const account = { beneficiary_name: 'Asha Rao', account_number: '1121431121541121', account_type: 'savings', ifsc_code: 'HDFC0000001' }

/** The request of a registration link; `terms` go into `subscription_registration`. */
export function registrationRequest(
  method: 'upi' | 'emandate',
  receipt: string,
  nowSeconds: number,
  change: object = {},
  terms: object = {},
): object {
  const of = method === 'upi' ? { frequency: 'as_presented' } : { auth_type: 'netbanking', bank_account: account }
  return {
    customer: { name: 'Asha Rao', email: 'asha@example.in', contact: '+919000000001' },
    type: 'link',
    amount: method === 'upi' ? 100 : 0,
    currency: 'INR',
    description: 'Autopay of loan KST-1',
    receipt,
    sms_notify: false,
    email_notify: false,
    notes: { lan: 'KST-1' },
    subscription_registration: { method, max_amount: 1_500_000, expire_at: nowSeconds + 5 * 365 * daySeconds, ...of, ...terms },
    ...change,
  }
}

/** A sandbox of its own whose clock begins at a chosen moment in India. */
export class Stage {
  readonly bench: Bench
  readonly receiver: Receiver
  readonly provider: Provider

  private constructor(bench: Bench, receiver: Receiver) {
    this.bench = bench
    this.receiver = receiver
    this.provider = providerAt(bench.sandbox.url, { keyId: testKeyId, keySecret: testKeySecret })
  }

  static async start(options: Partial<SandboxOptions> = {}, india = startInIndia): Promise<Stage> {
    const receiver = await startReceiver()
    const clockBaseMs = Date.parse(`${india}+05:30`) - Date.now()
    return new Stage(await startBench({ webhookUrl: receiver.url, clockBaseMs, ...options }), receiver)
  }

  async close(): Promise<void> {
    await this.bench.close()
    await this.receiver.close()
  }

  async now(): Promise<number> {
    return (await this.bench.state()).now
  }

  async advance(seconds: number): Promise<void> {
    await this.control('/time', { advance_seconds: seconds })
  }

  /** Moves the clock to a moment in India. */
  async advanceTo(india: string): Promise<void> {
    await this.advance(Date.parse(`${india}+05:30`) / 1000 - (await this.now()))
  }

  async control(path: string, body: object = {}): Promise<Record<string, Json>> {
    const answer = await this.bench.control<Record<string, Json>>(path, body)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async controlStatus(path: string, body: object = {}): Promise<number> {
    return (await this.bench.control(path, body)).status
  }

  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.provider.call(method, path, body)
  }

  async made(method: string, path: string, body?: unknown): Promise<Json> {
    const { status, body: answer } = await this.call(method, path, body)
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer as Json
  }

  async register(method: 'upi' | 'emandate' = 'upi', change: object = {}, terms: object = {}): Promise<Json> {
    const request = registrationRequest(method, this.provider.reference(), await this.now(), change, terms)
    return this.made('POST', '/subscription_registration/auth_links', request)
  }

  /** An approved mandate; one of UPI is confirmed. */
  async mandate(method: 'upi' | 'emandate' = 'upi', terms: object = {}): Promise<Json> {
    const { id } = await this.register(method, {}, terms)
    return (await this.control(`/registrations/${id}/approve`))['token'] as Json
  }

  async confirmedMandate(method: 'upi' | 'emandate'): Promise<Json> {
    const token = await this.mandate(method)
    if (method === 'emandate') await this.control(`/mandates/${token.id}/confirm`)
    return token
  }

  /** The order of a debit, announced to the customer unless `payment_after` is null. */
  async order(token: Json, change: object = {}, payment_after?: number | null): Promise<Json> {
    const after = payment_after === undefined ? (await this.now()) + 2 * daySeconds : payment_after
    const notification = after === null ? {} : { notification: { token_id: token.id, payment_after: after } }
    const receipt = this.provider.reference()
    return this.made('POST', '/orders', { amount: 850_000, currency: 'INR', payment_capture: true, receipt, ...notification, ...change })
  }

  /** An order that was announced two days ago. */
  async announced(token: Json, change: object = {}): Promise<Json> {
    const order = await this.order(token, change)
    await this.advance(2 * daySeconds)
    return order
  }

  async customerOf(token: Json): Promise<string> {
    const { tokens } = (await this.bench.state()) as unknown as { tokens: Json[] }
    return String(tokens.find(({ id }) => id === token.id)?.['customer_id'])
  }

  async debitRequest(order: Json, token: Json, change: object = {}): Promise<object> {
    return {
      email: 'asha@example.in',
      contact: '+919000000001',
      amount: order['amount'],
      currency: 'INR',
      order_id: order.id,
      customer_id: await this.customerOf(token),
      token: token.id,
      recurring: true,
      description: 'EMI of December 2026',
      ...change,
    }
  }

  /** Asks for a debit. @returns the id of its payment. */
  async debit(order: Json, token: Json): Promise<string> {
    const { razorpay_payment_id } = await this.made('POST', '/payments/create/recurring', await this.debitRequest(order, token))
    return String(razorpay_payment_id)
  }

  payment(id: string): Promise<Json> {
    return this.made('GET', `/payments/${id}`)
  }

  async token(token: Json): Promise<Json> {
    return this.made('GET', `/customers/${await this.customerOf(token)}/tokens/${token.id}`)
  }

  async statusOf(token: Json): Promise<string> {
    return ((await this.token(token))['recurring_details'] as { status: string }).status
  }

  /** The events that arrived, oldest first, without the ones of refunds. */
  listEvents(): ReceivedEvent[] {
    return this.receiver.received.map(({ raw }) => JSON.parse(raw) as ReceivedEvent).filter(({ event }) => !event.startsWith('refund'))
  }

  /** Waits until these events and no others have arrived, in any order. */
  async expectEvents(events: readonly string[]): Promise<void> {
    const wanted = [...events].sort().join(', ')
    await vi.waitFor(
      () => {
        const received = this.listEvents().map(({ event }) => event)
        if (received.sort().join(', ') !== wanted) throw new Error(`events ${received.join(', ')} instead of ${wanted}`)
      },
      { timeout: 60_000 },
    )
  }

  /** Waits for an event. @returns its only one, or the first. */
  async event(name: string): Promise<ReceivedEvent> {
    return vi.waitFor(
      () => {
        const found = this.listEvents().find(({ event }) => event === name)
        if (!found) throw new Error(`no event ${name}`)
        return found
      },
      { timeout: 60_000 },
    )
  }

  forgetEvents(): void {
    this.receiver.received.length = 0
  }
}
