import type { Readable } from 'node:stream'

/** `documents/<borrower>/<loan>/<document>-<sha256>` and the like: small letters, digits and - _ . in parts divided by /. Never made of a name from outside. */
export type StorageKey = string

export type StoredObject = { key: StorageKey; sizeBytes: number; ageMs: number }

/** The bytes are not there, or the store cannot be used now. `full`: there is no room for more. */
export class StorageError extends Error {
  readonly reason: 'absent' | 'full' | 'unavailable'
  constructor(reason: StorageError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageError'
    this.reason = reason
  }
}

/** Where bytes are kept. Every method throws StorageError for what the store or the way to it does. */
export type ObjectStorage = {
  /** Keeps a file's bytes under a key, whole or not at all; once it answers, they outlive a power cut. What stood there is replaced. */
  put(key: StorageKey, path: string): Promise<void>
  /** The bytes from `first` to `last`, both included. Throws `absent` before the first byte where there is nothing. */
  read(key: StorageKey, range: { first: number; last: number }): Promise<Readable>
  /** What is known of an object; null when there is none. */
  find(key: StorageKey): Promise<StoredObject | null>
  /** Moves an object to another key; its age counts anew from then. Throws `absent` where there is nothing. */
  move(from: StorageKey, to: StorageKey): Promise<void>
  /** Removes an object; one that is not there is no error. */
  remove(key: StorageKey): Promise<void>
  /** Every object below a prefix that ends in /, in no order, page by page. */
  list(prefix: string): AsyncIterable<StoredObject>
}

const keyPattern = /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_.-]*)+$/

/** The one object outside of any folder: it says which database the bucket belongs to (server/documents/bucket-owner.ts). */
export const ownerMarkerKey = 'kist-owner.json'

/** @throws Error for a key that could leave its place: a defect of ours, never of a request. */
export function checkKey(key: string): void {
  if (key === ownerMarkerKey) return
  if (!keyPattern.test(key) || key.includes('..') || key.length > 300) throw new Error('Not a storage key')
}
