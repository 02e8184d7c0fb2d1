import * as http from 'node:http'
import * as https from 'node:https'
import type { Chance } from './chance.ts'
import type { Clock } from './clock.ts'
import type { SandboxConfig } from './config.ts'
import type { Attempt, Change, Delivery, WebhookEvent } from './entities.ts'
import type { Fault, Faults } from './faults.ts'
import { hmacHex } from './hmac.ts'
import type { Store } from './store.ts'

/** Seconds between attempts at scale 1: short first, so that a demo heals while one watches. */
const BACKOFF_S = [1, 5, 15, 60, 300, 900, 3600, 7200, 14_400, 28_800]
/** The provider gives an event up a day after it happened. */
const GIVE_UP_MS = 24 * 60 * 60 * 1000
/** How many events travel at once. */
const IN_FLIGHT_MAX = 64

type Parts = {
  readonly config: SandboxConfig
  readonly store: Store
  readonly clock: Clock
  readonly faults: Faults
  readonly chance: Chance
}

/** Hands events over to the merchant: at least once, in no particular order, until 2xx. */
export class Deliverer {
  readonly #parts: Parts
  readonly #inFlight = new Set<string>()
  readonly #stop = new AbortController()
  /** Events not yet handed over; the store remembers the rest. */
  readonly #pending = new Set<string>()

  /** Where events go; a merchant may change it at any time, as on the provider's dashboard. */
  endpoint: URL

  constructor(parts: Parts) {
    this.#parts = parts
    this.endpoint = new URL(parts.config.webhookUrl)
    for (const delivery of parts.store.all('delivery')) {
      if (delivery.status === 'pending') this.#pending.add(delivery.id)
    }
  }

  /** Takes in events that were just stored and sends everything that is due. */
  enqueue(eventIds: readonly string[]): void {
    for (const id of eventIds) this.#pending.add(id)
    this.sendDue()
  }

  /** Sends what is due; called every second and whenever something changed. */
  sendDue(): void {
    const nowMs = this.#parts.clock.nowMs()
    for (const id of this.#pending) {
      if (this.#stop.signal.aborted || this.#inFlight.size >= IN_FLIGHT_MAX) return
      const delivery = this.#parts.store.get('delivery', id)
      const event = this.#parts.store.get('event', id)
      if (!delivery || !event || delivery.status !== 'pending') this.#pending.delete(id)
      else if (delivery.due_at_ms <= nowMs && !this.#inFlight.has(id)) this.#hand(event, delivery).catch(complain)
    }
  }

  /** Sends an event once more, outside its schedule and whatever became of it; answers the attempt. */
  async replay(event: WebhookEvent): Promise<Attempt> {
    const attempt = await this.#post(event, undefined)
    const isKept = this.#parts.store.get('event', event.id) !== undefined && !this.#stop.signal.aborted
    if (isKept) this.#parts.store.commit([['attempt', attempt]])
    return attempt
  }

  /** Aborts what is under way; pending events stay pending for the next start. */
  close(): void {
    this.#stop.abort()
  }

  async #hand(event: WebhookEvent, delivery: Delivery): Promise<void> {
    const fault = this.#faultFor(event, delivery)
    if (fault?.kind === 'drop') {
      this.#note(event.id, [this.#notSent(event, 'drop')], 'dropped')
      return
    }
    if (fault?.kind === 'delay') {
      const due_at_ms = this.#parts.clock.nowMs() + fault.delay_ms
      this.#parts.store.commit([['delivery', { ...delivery, due_at_ms, delayed: true }]])
      return
    }
    this.#inFlight.add(event.id)
    const copies = fault?.kind === 'duplicate' ? fault.copies + 1 : 1
    const attempts = await Promise.all(Array.from({ length: copies }, () => this.#post(event, fault)))
    this.#inFlight.delete(event.id)
    if (this.#stop.signal.aborted) return
    const isDelivered = attempts.some(({ status }) => status !== null && status >= 200 && status < 300)
    this.#note(event.id, attempts, isDelivered ? 'delivered' : null)
    this.sendDue()
  }

  #faultFor(event: WebhookEvent, delivery: Delivery): Fault | undefined {
    const link = this.#parts.store.get('link', event.link_id)
    const fault = this.#parts.faults.take('webhook', {
      event: event.event,
      payment_link_id: event.link_id,
      reference_id: link?.reference_id,
      amount: link?.amount,
    })
    return fault?.kind === 'delay' && delivery.delayed ? undefined : fault
  }

  /** Logs the attempts made on schedule and settles what happens next. */
  #note(id: string, attempts: readonly Attempt[], status: Delivery['status'] | null): void {
    const { store, clock, config } = this.#parts
    const delivery = store.get('delivery', id)
    const event = store.get('event', id)
    // Reset or closed while the event was under way.
    if (!delivery || !event || this.#stop.signal.aborted) return
    const isOver = clock.nowMs() - event.created_at_ms > GIVE_UP_MS
    const next = status ?? (isOver ? 'abandoned' : 'pending')
    const waitS = BACKOFF_S[Math.min(delivery.attempts, BACKOFF_S.length - 1)] ?? 0
    const waitMs = waitS * 1000 * config.retryScale
    const noted: Delivery = {
      ...delivery,
      attempts: delivery.attempts + 1,
      status: next,
      due_at_ms: clock.nowMs() + waitMs,
    }
    store.commit([...attempts.map((one): Change => ['attempt', one]), ['delivery', noted]])
    if (next !== 'pending') this.#pending.delete(id)
    // The regular look comes a few times a second; short waits are kept to the millisecond.
    else if (waitMs < 1000) setTimeout(() => this.sendDue(), waitMs).unref()
  }

  #notSent(event: WebhookEvent, fault: string): Attempt {
    const at_ms = this.#parts.clock.nowMs()
    return { id: this.#parts.chance.text(14), event_id: event.id, at_ms, took_ms: 0, status: null, error: 'not sent', fault }
  }

  #post(event: WebhookEvent, fault: Fault | undefined): Promise<Attempt> {
    const { config, clock, chance } = this.#parts
    const at_ms = clock.nowMs()
    const startedMs = performance.now()
    const url = this.endpoint
    const signature = signatureOf(event, fault)
    return new Promise((resolve) => {
      const finish = (status: number | null, error: string | null): void =>
        resolve({
          id: chance.text(14),
          event_id: event.id,
          at_ms,
          took_ms: Math.round(performance.now() - startedMs),
          status,
          error,
          fault: fault?.kind ?? null,
        })
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method: 'POST',
        agent: false,
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(config.webhookTimeoutMs)]),
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(event.body),
          'user-agent': 'Razorpay-Webhook/v1',
          'x-razorpay-signature': signature,
          'x-razorpay-event-id': event.id,
        },
      })
      request.once('response', (response) => {
        response.resume()
        // A redirect is not followed: the provider counts it as a failure.
        finish(response.statusCode ?? null, null)
      })
      request.once('error', (error) => finish(null, error.message))
      request.end(event.body)
    })
  }
}

function signatureOf(event: WebhookEvent, fault: Fault | undefined): string {
  const secret = fault?.kind === 'wrong_secret' ? `not-${event.secret}` : event.secret
  const signature = hmacHex(secret, event.body)
  if (fault?.kind !== 'corrupt_signature') return signature
  return (signature.startsWith('0') ? '1' : '0') + signature.slice(1)
}

/** A full disk must not end the process: the event stays pending and is looked at again. */
function complain(error: unknown): void {
  console.error('sandbox:', error)
}
