import * as path from 'node:path'
import { writeFileAtomically } from './journal.ts'
import type { Store } from './store.ts'

/** The sandbox's own time: the system clock plus an offset that `POST /__sandbox/time` moves. */
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
    return this.#store.get('clock', 'clock')?.offset_ms ?? 0
  }

  nowMs(): number {
    return Date.now() + this.#baseMs + this.offsetMs
  }

  /** Unix seconds, as the provider counts. */
  now(): number {
    return Math.floor(this.nowMs() / 1000)
  }

  /** Moves the clock; a negative number moves it back. */
  advance(seconds: number): void {
    const offset_ms = this.offsetMs + Math.round(seconds * 1000)
    this.#store.commit([['clock', { id: 'clock', offset_ms }]])
    this.#publish()
  }

  /** Writes clock.json again after the store was emptied. */
  reset(): void {
    this.#publish()
  }

  /** Others who share the sandbox's time (the portal's demo mode) follow this file. */
  #publish(): void {
    writeFileAtomically(this.#file, `{"offset_ms":${this.offsetMs}}\n`)
  }
}
