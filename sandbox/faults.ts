import { Chance } from './chance.ts'

/** The failures that can be ordered through `POST /__sandbox/faults`. */

/** API calls by name, the calls of the hosted page, and the webhook. */
const faultCalls = [
  'create',
  'fetch',
  'list',
  'cancel',
  'edit',
  'notify',
  'payment',
  'payments',
  'capture',
  'refund',
  'refunds',
  'refund_fetch',
  'refund_list',
  'refund_edit',
  'settlements',
  'settlement',
  'recon',
  'disputes',
  'dispute',
  'methods',
  'order',
  'order_payments',
  'order_create',
  'orders',
  'registration_create',
  'invoices',
  'invoice',
  'invoice_cancel',
  'invoice_notify',
  'customer_create',
  'customers',
  'customer',
  'customer_edit',
  'tokens',
  'token',
  'token_cancel',
  'token_delete',
  'recurring',
  'page',
  'page_pay',
  'webhook',
  '*',
] as const
export type Call = (typeof faultCalls)[number]

const apiKinds = [
  'latency',
  'timeout_before',
  'timeout_after',
  'status',
  'status_after',
  'reset',
  'reset_after',
  'malformed_json',
  'stale_read',
  'wrong_amount',
] as const
/** How a refund goes on; for the call `refund` only. */
const refundKinds = ['insufficient_balance', 'refund_pending', 'refund_fails', 'refund_processed'] as const
const webhookKinds = ['drop', 'delay', 'duplicate', 'reorder', 'burst', 'corrupt_signature', 'wrong_secret', 'truncate'] as const
type FaultKind = (typeof apiKinds)[number] | (typeof refundKinds)[number] | (typeof webhookKinds)[number]

/** One ordered failure: the first rule that matches a call applies and is counted down. */
export type Fault = {
  readonly id: number
  readonly call: Call
  readonly kind: FaultKind
  readonly reference_id: string | null
  readonly payment_link_id: string | null
  /** Paise. */
  readonly amount: number | null
  /** Webhook event name. */
  readonly event: string | null
  readonly endpoint_id: string | null
  /** How many more calls it applies to; null until it is cleared. */
  readonly times: number | null
  /** Probability from 0 to 1 that it applies to a matching call. */
  readonly probability: number
  /** The same seed and calls give the same failures; null uses the sandbox's own seed. */
  readonly seed: string | null
  readonly latency_ms: number
  readonly delay_ms: number
  readonly status: number
  /** Additional copies that a `duplicate` sends at the same time. */
  readonly copies: number
  /** Number of events that a `burst` collects before it sends all of them. */
  readonly size: number
  /** Paise that `wrong_amount` adds. */
  readonly amount_delta: number
}

/** The known properties of a call, which rules match. */
export type Subject = {
  readonly reference_id?: string | undefined
  readonly payment_link_id?: string | undefined
  readonly amount?: number | undefined
  readonly event?: string | undefined
  readonly endpoint_id?: string | undefined
}

/** An invalid fault; its message says why. */
export class FaultError extends Error {}

/** The ordered failures, in memory only: a restarted sandbox is healthy. */
export class Faults {
  #rules: Fault[] = []
  #nextId = 1
  readonly #chance: Chance
  /** The random numbers of each rule that has a seed. */
  #seeded = new Map<number, Chance>()

  constructor(chance: Chance) {
    this.#chance = chance
  }

  list(): readonly Fault[] {
    return this.#rules
  }

  clear(): void {
    this.#rules = []
    this.#seeded.clear()
  }

  /** Adds one fault or a list. @throws FaultError when one is invalid; then none is added. */
  add(orders: unknown): Fault[] {
    const list = Array.isArray(orders) ? (orders as unknown[]) : [orders]
    const faults = list.map((order) => parseFault(order, this.#nextId++))
    this.#rules.push(...faults)
    for (const { id, seed } of faults) if (seed !== null) this.#seeded.set(id, new Chance(seed))
    return faults
  }

  /** The fault for this call, already counted down; undefined when none applies. */
  take(call: Exclude<Call, '*'>, subject: Subject): Fault | undefined {
    const hit = this.#rules.find((rule) => matches(rule, call, subject) && this.#applies(rule))
    if (!hit || hit.times === null) return hit
    const left = hit.times - 1
    this.#rules = this.#rules.flatMap((rule) => (rule !== hit ? [rule] : left > 0 ? [{ ...rule, times: left }] : []))
    return hit
  }

  #applies({ id, probability }: Fault): boolean {
    return probability === 1 || (this.#seeded.get(id) ?? this.#chance).unit() < probability
  }
}

function matches(rule: Fault, call: Call, subject: Subject): boolean {
  const isCall = rule.call === call || (rule.call === '*' && call !== 'webhook')
  return (
    isCall &&
    (rule.reference_id === null || rule.reference_id === subject.reference_id) &&
    (rule.payment_link_id === null || rule.payment_link_id === subject.payment_link_id) &&
    (rule.amount === null || rule.amount === subject.amount) &&
    (rule.event === null || rule.event === subject.event) &&
    (rule.endpoint_id === null || rule.endpoint_id === subject.endpoint_id)
  )
}

const faultFields = [
  'call',
  'kind',
  'reference_id',
  'payment_link_id',
  'amount',
  'event',
  'endpoint_id',
  'times',
  'probability',
  'seed',
  'latency_ms',
  'delay_ms',
  'status',
  'copies',
  'size',
  'amount_delta',
]

function parseFault(order: unknown, id: number): Fault {
  if (typeof order !== 'object' || order === null) throw new FaultError('a fault is a JSON object')
  const given = order as Record<string, unknown>
  const unknown = Object.keys(given).find((field) => !faultFields.includes(field))
  if (unknown !== undefined) throw new FaultError(`unknown field ${unknown}`)

  const call = oneOf('call', given['call'], faultCalls)
  const kinds = call === 'webhook' ? webhookKinds : call === 'refund' ? [...apiKinds, ...refundKinds] : apiKinds
  const kind: FaultKind = oneOf('kind', given['kind'], kinds)
  const text = (field: string): string | null => {
    const value = given[field]
    if (value === undefined || value === null) return null
    if (typeof value !== 'string') throw new FaultError(`${field} must be a text`)
    return value
  }
  const number = <T>(field: string, fallback: T, min: number, max: number): number | T => {
    const value = given[field]
    if (value === undefined || value === null) return fallback
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw new FaultError(`${field} must be a number from ${min} to ${max}`)
    }
    return value
  }
  return {
    id,
    call,
    kind,
    reference_id: text('reference_id'),
    payment_link_id: text('payment_link_id'),
    amount: number('amount', null, 0, Number.MAX_SAFE_INTEGER),
    event: text('event'),
    endpoint_id: text('endpoint_id'),
    times: given['times'] === 'forever' ? null : number('times', 1, 1, 1e9),
    probability: number('probability', 1, 0, 1),
    seed: given['seed'] === undefined || given['seed'] === null ? null : String(given['seed']),
    latency_ms: number('latency_ms', 1000, 0, 600_000),
    delay_ms: number('delay_ms', 5000, 0, 1e10),
    status: number('status', 500, 400, 599),
    copies: number('copies', 1, 1, 1000),
    size: number('size', 4, 2, 1000),
    amount_delta: number('amount_delta', 100, -1e12, 1e12),
  }
}

function oneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new FaultError(`${field} must be one of ${allowed.join(', ')}`)
  return found
}
