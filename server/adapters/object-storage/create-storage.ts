import type { StorageConfig } from '../../config/config.ts'
import { diskStorage } from './disk.ts'
import type { ObjectStorage } from './object-storage.ts'

/**
 * Creates the configured store. The S3 client is imported only if used, because it takes half a
 * second to load.
 */
export async function createStorage(storage: StorageConfig): Promise<ObjectStorage> {
  if (storage.kind === 'disk') return diskStorage(storage.directory, storage.partialAgeMs)
  const { s3Storage } = await import('./s3.ts')
  return s3Storage(storage)
}
