import * as path from 'node:path'
import type { ClockRecord } from './entities.ts'
import { writeFileAtomically } from './journal.ts'
import type { Store } from './store.ts'

const untouchedClock: ClockRecord = { id: 'clock', offset_ms: 0, skew_ms: 0, frozen_at_ms: null }

/**
 * The sandbox's own time: the system clock plus an offset that `POST /__sandbox/time` moves. Others
 * follow the offset by clock.json; a skew or a stopped clock affects the provider only.
 */
export class Clock {
  readonly #store: Store
  readonly #file: string
  readonly #baseMs: number

  constructor(store: Store, dataDir: string, baseMs: number) {
    this.#store = store
    this.#file = path.join(dataDir, 'clock.json')
    this.#baseMs = baseMs
    this.#publish()
  }

  get offsetMs(): number {
    return this.#record.offset_ms
  }

  nowMs(): number {
    const { offset_ms, skew_ms, frozen_at_ms } = this.#record
    return frozen_at_ms ?? Date.now() + this.#baseMs + offset_ms + skew_ms
  }

  /** Unix seconds, as the provider counts. */
  now(): number {
    return Math.floor(this.nowMs() / 1000)
  }

  /**
   * Moves the clock; a negative number moves it back. A stopped clock moves too and stays stopped.
   */
  advance(seconds: number): void {
    const { frozen_at_ms, ...record } = this.#record
    const ms = Math.round(seconds * 1000)
    this.#change({ ...record, offset_ms: record.offset_ms + ms, frozen_at_ms: frozen_at_ms === null ? null : frozen_at_ms + ms })
  }

  /** Stops the provider's clock, or starts it again at the true time. */
  freeze(isFrozen: boolean): void {
    this.#change({ ...this.#record, frozen_at_ms: isFrozen ? this.nowMs() : null })
  }

  /** Makes the provider's clock differ from all others by this much. */
  skew(seconds: number): void {
    this.#change({ ...this.#record, skew_ms: Math.round(seconds * 1000) })
  }

  /** Writes clock.json again after the store was emptied. */
  reset(): void {
    this.#publish()
  }

  get #record(): ClockRecord {
    return this.#store.get('clock', 'clock') ?? untouchedClock
  }

  #change(record: ClockRecord): void {
    this.#store.commit([['clock', record]])
    this.#publish()
  }

  /** Others who share the sandbox's time (the portal's demo mode) follow this file. */
  #publish(): void {
    writeFileAtomically(this.#file, `{"offset_ms":${this.offsetMs}}\n`)
  }
}
