import type { Readable } from 'node:stream'

/**
 * A key such as `documents/<borrower>/<loan>/<document>-<sha256>`: lower-case letters, digits and
 * `-_.` in parts separated by `/`. Never derived from an outside name.
 */
type StorageKey = string

export type StoredObject = { key: StorageKey; sizeBytes: number; ageMs: number }

/** The object does not exist, the store is full, or the store is unavailable. */
export class StorageError extends Error {
  readonly reason: 'absent' | 'full' | 'unavailable'
  constructor(reason: StorageError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageError'
    this.reason = reason
  }
}

/**
 * Makes a function that runs a call of a store, and throws what `convert` makes of its errors.
 */
export const convertErrors =
  (convert: (error: unknown) => unknown) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw convert(error)
    }
  }

/** Stores objects. Every method throws StorageError for failures of the store or the network. */
export type ObjectStorage = {
  /**
   * Stores a file under a key atomically and replaces an earlier object. The bytes are durable when
   * it resolves.
   */
  put(key: StorageKey, path: string): Promise<void>
  /**
   * Reads the bytes from `first` to `last`, both included. Throws `absent` before the first byte if
   * the object does not exist.
   */
  read(key: StorageKey, range: { first: number; last: number }): Promise<Readable>
  /** Finds an object; null if there is none. */
  find(key: StorageKey): Promise<StoredObject | null>
  /** Moves an object to another key and resets its age. Throws `absent` if it does not exist. */
  move(from: StorageKey, to: StorageKey): Promise<void>
  /** Removes an object; a missing object is no error. */
  remove(key: StorageKey): Promise<void>
  /** Lists every object below a prefix that ends in /, page by page, in no order. */
  list(prefix: string): AsyncIterable<StoredObject>
}

const keyPattern = /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_.-]*)+$/

/**
 * The only object outside any folder; it names the database that owns the bucket
 * (server/documents/bucket-owner.ts).
 */
export const ownerMarkerKey = 'kist-owner.json'

/** @throws Error for a key that could escape its directory, which is a defect. */
export function checkKey(key: string): void {
  if (key === ownerMarkerKey) return
  if (!keyPattern.test(key) || key.includes('..') || key.length > 300) throw new Error('Not a storage key')
}
