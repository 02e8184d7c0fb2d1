import type { Logger } from 'pino'
import { StorageError } from '../adapters/object-storage/object-storage.ts'
import { Failure } from '../http/failure.ts'

/**
 * Calls the object store and maps its errors to one failure; the log contains the reason (full,
 * absent or unavailable).
 *
 * @throws Failure StorageUnavailable.
 */
export async function callStorage<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.error({ err: error, reason: error.reason }, 'object store failed')
    throw new Failure('StorageUnavailable', 'The document cannot be stored or read at the moment. Please try again later.')
  }
}
