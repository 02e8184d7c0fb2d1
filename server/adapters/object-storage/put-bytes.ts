import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ObjectStorage } from './object-storage.ts'

/** Stores bytes under a key, by a temporary file in the directory. */
export async function putBytes(
  storage: Pick<ObjectStorage, 'put'>,
  key: string,
  bytes: Uint8Array | string,
  directory = tmpdir(),
): Promise<void> {
  const path = join(directory, randomUUID())
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, bytes, { mode: 0o600, flag: 'wx' })
    await storage.put(key, path)
  } finally {
    await rm(path, { force: true })
  }
}
