import type { Chance } from './chance.ts'
import type { Clock } from './clock.ts'
import type { SandboxConfig } from './config.ts'
import { DueQueue } from './due-queue.ts'
import { isSubscribed, type Attempt, type Change, type Delivery, type Endpoint, type WebhookEvent } from './entities.ts'
import type { Fault, Faults } from './faults.ts'
import { WebhookSender } from './webhook-sender.ts'
import type { Store } from './store.ts'

/** Seconds between attempts at scale 1; the first waits are short for demos. */
const backOffSeconds = [1, 5, 15, 60, 300, 900, 3600, 7200, 14_400, 28_800]
/** Each wait is longer or shorter by at most this share. */
const jitterShare = 0.2
/** The provider abandons an event after a day and disables its endpoint. */
const giveUpMs = 24 * 60 * 60 * 1000

type Parts = {
  readonly config: SandboxConfig
  readonly store: Store
  readonly clock: Clock
  readonly faults: Faults
  readonly chance: Chance
}

/** Delivers events to the merchant at least once, in any order, until the answer is 2xx. */
export class Deliverer {
  readonly #parts: Parts
  readonly #webhookSender: WebhookSender
  readonly #inFlight = new Set<string>()
  /** Pending deliveries by due time. */
  readonly #waiting = new DueQueue<string>()
  /** Held back by a fault until others are sent. */
  #held: { readonly reorder: string[]; readonly burst: string[] } = { reorder: [], burst: [] }
  #isClosed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#webhookSender = new WebhookSender(parts.config.webhookTimeoutMs)
    for (const { id, status, due_at_ms } of parts.store.all('delivery')) {
      if (status === 'pending') this.#waiting.add(id, due_at_ms)
    }
  }

  /** Number of pending deliveries. */
  get waiting(): number {
    return this.#waiting.size + this.#inFlight.size
  }

  /** Queues stored deliveries and sends everything that is due. */
  enqueue(deliveries: readonly Delivery[]): void {
    for (const { id, status, due_at_ms } of deliveries) if (status === 'pending') this.#waiting.add(id, due_at_ms)
    this.sendDue()
  }

  /** Sends what is due; called a few times a second and whenever something changed. */
  sendDue(): void {
    const { store, clock, config } = this.#parts
    const nowMs = clock.nowMs()
    while (!this.#isClosed && this.#inFlight.size < config.webhookConnections) {
      const id = this.#waiting.take(nowMs)
      if (id === undefined) return
      const delivery = store.get('delivery', id)
      // It may have been postponed, and queued again, or completed since it was queued.
      const isDue = delivery?.status === 'pending' && delivery.due_at_ms <= nowMs && !this.#inFlight.has(id)
      if (isDue) this.#hand(delivery)
    }
  }

  /** Sends an event again outside its schedule, in any status. @returns the attempt. */
  async replay(delivery: Delivery): Promise<Attempt> {
    const attempt = await this.#try(delivery, undefined)
    const isKept = this.#parts.store.get('delivery', delivery.id) !== undefined && !this.#isClosed
    if (isKept) this.#parts.store.commit([['attempt', attempt]])
    return attempt
  }

  /** Clears the queue after a reset of the store. */
  reset(): void {
    this.#waiting.clear()
    this.#held = { reorder: [], burst: [] }
  }

  /** Aborts requests in progress; pending events stay pending for the next start. */
  close(): void {
    this.#isClosed = true
    this.#webhookSender.close()
  }

  #hand(delivery: Delivery): void {
    const fault = this.#faultFor(delivery)
    switch (fault?.kind) {
      case 'drop':
        this.#note(delivery.id, [this.#notSent(delivery, 'drop')], 'dropped')
        return
      case 'delay':
        this.#putOff(delivery, fault.delay_ms)
        return
      case 'reorder':
      case 'burst':
        this.#hold(delivery, fault.kind, fault)
        return
      default:
        this.#send(delivery, fault).catch(logStorageError)
    }
  }

  async #send(delivery: Delivery, fault: Fault | undefined): Promise<void> {
    this.#inFlight.add(delivery.id)
    const copies = fault?.kind === 'duplicate' ? fault.copies + 1 : 1
    const attempts = await Promise.all(Array.from({ length: copies }, () => this.#try(delivery, fault)))
    this.#inFlight.delete(delivery.id)
    if (this.#isClosed) return
    const isDelivered = attempts.some(({ status }) => status !== null && status >= 200 && status < 300)
    this.#note(delivery.id, attempts, isDelivered ? 'delivered' : null)
    await this.#letGo()
    this.sendDue()
  }

  #putOff(delivery: Delivery, delayMs: number): void {
    const due_at_ms = this.#parts.clock.nowMs() + delayMs
    this.#parts.store.commit([['delivery', { ...delivery, due_at_ms, delayed: true }]])
    this.#waiting.add(delivery.id, due_at_ms)
  }

  /**
   * Holds an event until another is sent (`reorder`) or enough are held (`burst`); at most
   * `delay_ms`.
   */
  #hold(delivery: Delivery, kind: 'reorder' | 'burst', fault: Fault): void {
    this.#putOff(delivery, fault.delay_ms)
    this.#held[kind].push(delivery.id)
    if (kind === 'burst' && this.#held.burst.length >= fault.size) {
      const together = this.#takeHeld('burst')
      Promise.all(together.map((one) => this.#send(one, undefined))).catch(logStorageError)
    }
  }

  /** Sends the events that were held for a later one, the last first, one by one. */
  async #letGo(): Promise<void> {
    for (const delivery of this.#takeHeld('reorder').reverse()) await this.#send(delivery, undefined)
  }

  #takeHeld(kind: 'reorder' | 'burst'): Delivery[] {
    const ids = this.#held[kind].splice(0)
    return ids
      .map((id) => this.#parts.store.get('delivery', id))
      .filter((one) => one?.status === 'pending' && !this.#inFlight.has(one.id)) as Delivery[]
  }

  #faultFor(delivery: Delivery): Fault | undefined {
    const { store, faults } = this.#parts
    // A fault holds an event back once, not on every attempt.
    if (delivery.delayed) return undefined
    const event = store.get('event', delivery.event_id)
    const link = store.get('link', event?.link_id ?? '')
    return faults.take('webhook', {
      event: event?.event,
      payment_link_id: event?.link_id,
      reference_id: link?.reference_id ?? event?.receipt,
      amount: link?.amount,
      endpoint_id: delivery.endpoint_id,
    })
  }

  /** Stores scheduled attempts and plans the next ones. */
  #note(id: string, attempts: readonly Attempt[], status: Delivery['status'] | null): void {
    const { store, clock, config, chance } = this.#parts
    const delivery = store.get('delivery', id)
    const event = store.get('event', delivery?.event_id ?? '')
    // The store was reset or closed while the event was being sent.
    if (!delivery || !event || this.#isClosed) return
    const nowMs = clock.nowMs()
    const isOver = status === null && nowMs - event.created_at_ms > giveUpMs
    const waitSeconds = backOffSeconds[Math.min(delivery.attempts, backOffSeconds.length - 1)] ?? 0
    const waitMs = waitSeconds * 1000 * config.retryScale * (1 - jitterShare + 2 * jitterShare * chance.unit())
    const noted: Delivery = {
      ...delivery,
      attempts: delivery.attempts + 1,
      status: status ?? (isOver ? 'abandoned' : 'pending'),
      due_at_ms: nowMs + waitMs,
    }
    const changes: Change[] = attempts.map((one): Change => ['attempt', one])
    store.commit([...changes, ['delivery', noted], ...(isOver ? this.#disabled(delivery.endpoint_id, nowMs) : [])])
    if (noted.status !== 'pending') return
    this.#waiting.add(id, noted.due_at_ms)
    // The sweep runs a few times a second; a timer keeps shorter waits exact.
    if (waitMs < 1000) setTimeout(() => this.sendDue(), waitMs).unref()
  }

  /** Disables an endpoint that has failed for a whole day since it was enabled. */
  #disabled(endpointId: string, nowMs: number): Change[] {
    const endpoint = this.#parts.store.get('endpoint', endpointId)
    if (endpoint?.status !== 'active' || nowMs - endpoint.enabled_at_ms <= giveUpMs) return []
    console.error(`sandbox: webhook endpoint ${endpoint.url} failed for a day and is disabled`)
    return [['endpoint', { ...endpoint, status: 'disabled', disabled_at_ms: nowMs }]]
  }

  #notSent(delivery: Delivery, fault: string): Attempt {
    return { ...this.#newAttempt(delivery), took_ms: 0, status: null, error: 'not sent', fault }
  }

  #newAttempt({ event_id, endpoint_id }: Delivery): Pick<Attempt, 'id' | 'event_id' | 'endpoint_id' | 'at_ms'> {
    return { id: this.#parts.chance.text(14), event_id, endpoint_id, at_ms: this.#parts.clock.nowMs() }
  }

  async #try(delivery: Delivery, fault: Fault | undefined): Promise<Attempt> {
    const begun = this.#newAttempt(delivery)
    const event = this.#parts.store.get('event', delivery.event_id)
    const endpoint = this.#parts.store.get('endpoint', delivery.endpoint_id)
    if (!event || !endpoint) return { ...begun, took_ms: 0, status: null, error: 'forgotten', fault: null }
    const outcome = await this.#webhookSender.send(event, endpoint.url, delivery.secret, fault)
    return { ...begun, ...outcome, fault: fault?.kind ?? null }
  }
}

/** The deliveries of a new event: one for each subscribed endpoint. */
export function deliveriesOf(event: WebhookEvent, endpoints: readonly Endpoint[], nowMs: number): Delivery[] {
  return endpoints
    .filter((endpoint) => isSubscribed(endpoint, event.event))
    .map((endpoint) => ({
      id: `${event.id}@${endpoint.id}`,
      event_id: event.id,
      endpoint_id: endpoint.id,
      // After a change of the secret, retries of older events are signed with the old one.
      secret: endpoint.secret,
      status: endpoint.status === 'active' ? 'pending' : 'skipped',
      due_at_ms: nowMs,
      attempts: 0,
      delayed: false,
    }))
}

/** A full disk must not end the process: the event stays pending for the next sweep. */
function logStorageError(error: unknown): void {
  console.error('sandbox:', error)
}
