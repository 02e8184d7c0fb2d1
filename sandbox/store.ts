import * as path from 'node:path'
import { dueMsOf } from './due-at.ts'
import { worthOf } from './balance.ts'
import { DueQueue } from './due-queue.ts'
import type { Change, Kind, Kinds, Link } from './entities.ts'
import { Journal } from './journal.ts'

type Child = 'payment' | 'event' | 'refund' | 'delivery' | 'attempt' | 'order' | 'registration' | 'token'
type Tables = { [K in Kind]: Map<string, Kinds[K]> }

const allKinds: readonly Kind[] = [
  'link',
  'order',
  'payment',
  'refund',
  'adjustment',
  'dispute',
  'settlement',
  'event',
  'endpoint',
  'delivery',
  'attempt',
  'clock',
  'customer',
  'registration',
  'token',
]

/** The id (or receipt) by which this record is listed; null for kinds that are not read by it. */
function parentOf([kind, record]: Change): string | null {
  switch (kind) {
    case 'payment':
      return record.link_id || record.order_id
    case 'event':
      return record.link_id
    case 'order':
    case 'registration':
      return record.receipt
    case 'token':
      return record.customer_id
    case 'refund':
      return record.payment_id
    case 'delivery':
    case 'attempt':
      return record.event_id
    default:
      return null
  }
}

/** A record whose planned moment has come. */
export type Due = { readonly kind: Kind; readonly id: string }

/**
 * All records, in maps; every change is written to the journal first. There is a map for every kind
 * of look-up, so that no look-up takes longer with more records.
 */
export class Store {
  readonly #file: string
  readonly #expiryLagSeconds: number
  #journal: Journal
  #tables = emptyTables()
  #ids = emptyLists()
  #children = new Map<string, string[]>()
  /** A reference id is never free again. */
  #linkByReference = new Map<string, string>()
  #linkBySlug = new Map<string, string>()
  #registrationBySlug = new Map<string, string>()
  #customerByAddress = new Map<string, string>()
  #refundByKey = new Map<string, string>()
  #dueRecords = new DueQueue<Due>()
  #balance = 0

  /** Replays `<dataDir>/journal.ndjson` and rewrites it without overwritten records. */
  constructor(dataDir: string, expiryLagSeconds: number) {
    this.#file = path.join(dataDir, 'journal.ndjson')
    this.#expiryLagSeconds = expiryLagSeconds
    for (const line of Journal.read(this.#file)) {
      for (const change of line as Change[]) this.#apply(change)
    }
    const changes = allKinds.flatMap((kind) => this.all(kind).map((record) => [[kind, record]]))
    this.#journal = Journal.rewrite(this.#file, changes)
  }

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    return this.#tables[kind].get(id)
  }

  count(kind: Kind): number {
    return this.#tables[kind].size
  }

  /** All records of a kind, oldest first. */
  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#tables[kind].values()]
  }

  /** The records of a kind, newest first, one at a time. */
  *newest<K extends Kind>(kind: K): Generator<Kinds[K]> {
    const ids = this.#ids[kind]
    for (let at = ids.length - 1; at >= 0; at--) {
      const record = this.get(kind, ids[at] ?? '')
      if (record) yield record
    }
  }

  /**
   * The payments or events of a link, the payments of a debit's order, the refunds of a payment,
   * the deliveries and attempts of an event, the orders and registrations of a receipt, the tokens
   * of a customer, oldest first.
   */
  of<K extends Child>(kind: K, parentId: string): Kinds[K][] {
    const ids = this.#children.get(`${kind} ${parentId}`) ?? []
    return ids.map((id) => this.get(kind, id)).filter((record) => record !== undefined)
  }

  linkByReference(reference: string): Link | undefined {
    return this.get('link', this.#linkByReference.get(reference) ?? '')
  }

  linkBySlug(slug: string): Link | undefined {
    return this.get('link', this.#linkBySlug.get(slug) ?? '')
  }

  registrationBySlug(slug: string): Kinds['registration'] | undefined {
    return this.get('registration', this.#registrationBySlug.get(slug) ?? '')
  }

  /** The customer with this email address and contact. */
  customerBy(email: string, contact: string): Kinds['customer'] | undefined {
    const customer = this.get('customer', this.#customerByAddress.get(`${email} ${contact}`) ?? '')
    // An edit may have given the customer another address.
    return customer?.email === email && customer.contact === contact ? customer : undefined
  }

  refundByKey(key: string): Kinds['refund'] | undefined {
    return this.get('refund', this.#refundByKey.get(key) ?? '')
  }

  /** The merchant's balance from captures, refunds and settlements, paise. */
  get balance(): number {
    return this.#balance
  }

  /** Removes and returns a due record; one that has a later time by now stays. */
  takeDue(nowMs: number): Due | undefined {
    for (let due = this.#dueRecords.take(nowMs); due; due = this.#dueRecords.take(nowMs)) {
      const record = this.get(due.kind, due.id)
      const atMs = record ? dueMsOf([due.kind, record] as Change, this.#expiryLagSeconds) : null
      if (atMs !== null && atMs <= nowMs) return due
    }
    return undefined
  }

  /** Puts back a record that could not be processed, for the next sweep. */
  returnDue({ kind, id }: Due): void {
    this.#dueRecords.add({ kind, id }, 0)
  }

  /** Applies all changes, or none when the journal cannot be written. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return
    this.#journal.append(changes)
    for (const change of changes) this.#apply(change)
  }

  /** Deletes all records. */
  reset(): void {
    this.#journal.close()
    this.#journal = Journal.rewrite(this.#file, [])
    this.#tables = emptyTables()
    this.#ids = emptyLists()
    this.#children = new Map()
    this.#linkByReference = new Map()
    this.#linkBySlug = new Map()
    this.#registrationBySlug = new Map()
    this.#customerByAddress = new Map()
    this.#refundByKey = new Map()
    this.#dueRecords = new DueQueue()
    this.#balance = 0
  }

  close(): void {
    this.#journal.close()
  }

  #apply(change: Change): void {
    const [kind, record] = change
    const before = this.get(kind, record.id)
    const earlier = before && ([kind, before] as Change)
    ;(this.#tables[kind] as Map<string, typeof record>).set(record.id, record)
    if (!before) this.#list(change)
    this.#balance += worthOf(change) - (earlier ? worthOf(earlier) : 0)
    const dueMs = dueMsOf(change, this.#expiryLagSeconds)
    const dueMsBefore = earlier ? dueMsOf(earlier, this.#expiryLagSeconds) : null
    if (dueMs !== null && dueMs !== dueMsBefore) this.#dueRecords.add({ kind, id: record.id }, dueMs)
    // The newest owner of a reference wins: an edit may have changed a link's.
    if (kind === 'link' && record.reference_id) this.#linkByReference.set(record.reference_id, record.id)
    if (kind === 'customer') this.#customerByAddress.set(`${record.email} ${record.contact}`, record.id)
  }

  /** Adds a new record to the maps that are not by id. */
  #list(change: Change): void {
    const [kind, record] = change
    this.#ids[kind].push(record.id)
    const parent = parentOf(change)
    if (parent) {
      const key = `${kind} ${parent}`
      const siblings = this.#children.get(key)
      if (siblings) siblings.push(record.id)
      else this.#children.set(key, [record.id])
    }
    if (kind === 'link') this.#linkBySlug.set(record.slug, record.id)
    if (kind === 'registration') this.#registrationBySlug.set(record.slug, record.id)
    if (kind === 'refund' && record.idempotency_key) this.#refundByKey.set(record.idempotency_key, record.id)
  }
}

function emptyTables(): Tables {
  return Object.fromEntries(allKinds.map((kind) => [kind, new Map()])) as unknown as Tables
}

function emptyLists(): Record<Kind, string[]> {
  return Object.fromEntries(allKinds.map((kind) => [kind, []])) as unknown as Record<Kind, string[]>
}
