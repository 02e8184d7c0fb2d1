import type { Logger } from 'pino'
import { StorageError } from '../adapters/object-storage/object-storage.ts'
import { Failure } from '../http/failure.ts'

/**
 * Asks the object store, and tells the caller in one way that it cannot be had: whether it is full, gone or has lost a document,
 * the log says.
 *
 * @throws Failure StorageUnavailable.
 */
export async function askStorage<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.error({ err: error, reason: error.reason }, 'the object store failed')
    throw new Failure('StorageUnavailable', 'The document cannot be stored or read at the moment. Please try again later.')
  }
}
