import * as path from 'node:path'
import type { Change, Kind, Kinds, Link, Payment } from './entities.ts'
import { Journal } from './journal.ts'

type Tables = { [K in Kind]: Map<string, Kinds[K]> }

const emptyTables = (): Tables => ({
  link: new Map(),
  order: new Map(),
  payment: new Map(),
  refund: new Map(),
  event: new Map(),
  delivery: new Map(),
  attempt: new Map(),
  clock: new Map(),
})

/** The sandbox's memory: maps in the process, every change first written to the journal. */
export class Store {
  readonly #file: string
  #journal: Journal
  #tables: Tables = emptyTables()
  /** Reference ids stay taken for ever, whatever becomes of their link. */
  readonly #linkByReference = new Map<string, string>()
  readonly #linkBySlug = new Map<string, string>()

  /** Opens `<dataDir>/journal.ndjson`, replays it, and writes it anew without what was overwritten. */
  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'journal.ndjson')
    for (const line of Journal.read(this.#file)) for (const change of line as Change[]) this.#apply(change)
    const changes = Object.entries(this.#tables).flatMap(([kind, table]) => [...table.values()].map((record) => [[kind, record]]))
    this.#journal = Journal.rewrite(this.#file, changes)
  }

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    return this.#tables[kind].get(id)
  }

  /** All records of a kind, oldest first. */
  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#tables[kind].values()]
  }

  linkByReference(reference: string): Link | undefined {
    return this.get('link', this.#linkByReference.get(reference) ?? '')
  }

  linkBySlug(slug: string): Link | undefined {
    return this.get('link', this.#linkBySlug.get(slug) ?? '')
  }

  paymentsOf(linkId: string): Payment[] {
    return this.all('payment').filter((payment) => payment.link_id === linkId)
  }

  /** Makes the changes together or, when the journal cannot be written, not at all. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return
    this.#journal.append(changes)
    for (const change of changes) this.#apply(change)
  }

  /** Forgets everything. */
  reset(): void {
    this.#journal.close()
    this.#journal = Journal.rewrite(this.#file, [])
    this.#tables = emptyTables()
    this.#linkByReference.clear()
    this.#linkBySlug.clear()
  }

  close(): void {
    this.#journal.close()
  }

  #apply([kind, record]: Change): void {
    ;(this.#tables[kind] as Map<string, typeof record>).set(record.id, record)
    if (kind !== 'link') return
    this.#linkBySlug.set(record.slug, record.id)
    if (record.reference_id) this.#linkByReference.set(record.reference_id, record.id)
  }
}
