import type { StorageConfig } from '../../config/config.ts'
import { diskStorage } from './disk.ts'
import type { ObjectStorage } from './object-storage.ts'

/** The store that the settings name. The object store's client is read only where it is used: it is half a second of a start. */
export async function storageFor(storage: StorageConfig): Promise<ObjectStorage> {
  if (storage.kind === 'disk') return diskStorage(storage.directory, storage.halfAgeMs)
  const { s3Storage } = await import('./s3.ts')
  return s3Storage(storage)
}
