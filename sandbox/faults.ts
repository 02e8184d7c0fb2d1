import { Chance } from './chance.ts'

/** The failures that can be ordered through `POST /__sandbox/faults`. */

/** Calls of the API by name, the hosted page's own, and the webhook. */
export const CALLS = [
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
  'page',
  'page_pay',
  'webhook',
  '*',
] as const
export type Call = (typeof CALLS)[number]

export const API_KINDS = [
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
/** What the provider makes of a refund; for the call `refund` only. */
export const REFUND_KINDS = ['insufficient_balance', 'refund_pending', 'refund_fails', 'refund_processed'] as const
export const WEBHOOK_KINDS = ['drop', 'delay', 'duplicate', 'reorder', 'burst', 'corrupt_signature', 'wrong_secret', 'truncate'] as const
export type FaultKind = (typeof API_KINDS)[number] | (typeof REFUND_KINDS)[number] | (typeof WEBHOOK_KINDS)[number]

/** One ordered failure: the first rule that matches a call is used, and used up. */
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
  /** How often it still strikes; null until it is cleared. */
  readonly times: number | null
  /** 0 to 1: the chance that a matching call is struck. */
  readonly probability: number
  /** The same seed and the same calls are struck alike; null draws from the sandbox's own chance. */
  readonly seed: string | null
  readonly latency_ms: number
  readonly delay_ms: number
  readonly status: number
  /** Further copies that a `duplicate` sends at the same time. */
  readonly copies: number
  /** Events that a `burst` gathers before it sends them all at once. */
  readonly size: number
  /** Paise that `wrong_amount` adds. */
  readonly amount_delta: number
}

/** What a call is about, as far as it is known; rules match on it. */
export type Subject = {
  readonly reference_id?: string | undefined
  readonly payment_link_id?: string | undefined
  readonly amount?: number | undefined
  readonly event?: string | undefined
  readonly endpoint_id?: string | undefined
}

/** Thrown with a sentence when an order makes no sense. */
export class FaultError extends Error {}

/** The ordered failures, in memory only: a restarted sandbox is healthy. */
export class Faults {
  #rules: Fault[] = []
  #nextId = 1
  readonly #chance: Chance
  /** What each rule with a seed of its own is drawn from. */
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

  /** Takes one order or a list of them; throws {@link FaultError} and takes none when one is bad. */
  add(orders: unknown): Fault[] {
    const list = Array.isArray(orders) ? (orders as unknown[]) : [orders]
    const faults = list.map((order) => parseFault(order, this.#nextId++))
    this.#rules.push(...faults)
    for (const { id, seed } of faults) if (seed !== null) this.#seeded.set(id, new Chance(seed))
    return faults
  }

  /** The fault that strikes this call, already counted down; undefined when none does. */
  take(call: Exclude<Call, '*'>, subject: Subject): Fault | undefined {
    const hit = this.#rules.find((rule) => matches(rule, call, subject) && this.#strikes(rule))
    if (!hit || hit.times === null) return hit
    const left = hit.times - 1
    this.#rules = this.#rules.flatMap((rule) => (rule !== hit ? [rule] : left > 0 ? [{ ...rule, times: left }] : []))
    return hit
  }

  #strikes({ id, probability }: Fault): boolean {
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

const FIELDS = [
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
  const unknown = Object.keys(given).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) throw new FaultError(`unknown field ${unknown}`)

  const call = oneOf('call', given['call'], CALLS)
  const kinds = call === 'webhook' ? WEBHOOK_KINDS : call === 'refund' ? [...API_KINDS, ...REFUND_KINDS] : API_KINDS
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
