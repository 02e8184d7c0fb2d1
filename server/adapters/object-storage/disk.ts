import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { checkKey, StorageError, type ObjectStorage, type StoredObject } from './object-storage.ts'

/** Half-written files bear this ending; a key never does. */
const partial = '.partial~'

/**
 * Objects as files of a directory that nothing else serves: readable by their owner only, never executable. A file appears under its
 * key by a rename after its bytes are safe on the disk, and the directory's entry is made safe too before `put` answers.
 */
export function diskStorage(directory: string, halfAgeMs = 3_600_000): ObjectStorage {
  const pathOf = (key: string) => {
    checkKey(key)
    return join(directory, ...key.split('/'))
  }
  return {
    put: (key, source) => telling(() => put(directory, pathOf(key), source)),
    read: (key, { first, last }) =>
      telling(async () => {
        const file = await open(pathOf(key), 'r')
        return createReadStream('', { fd: file, start: first, end: last, autoClose: true })
      }),
    find: async (key) => describe(directory, pathOf(key)),
    move: (from, to) => {
      const [source, target] = [pathOf(from), pathOf(to)]
      return telling(() => move(directory, source, target))
    },
    remove: (key) => telling(() => rm(pathOf(key), { force: true })),
    list: (prefix) => walk(directory, join(directory, ...prefix.split('/').filter(Boolean)), halfAgeMs),
  }
}

async function put(directory: string, path: string, source: string): Promise<void> {
  const folder = dirname(path)
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  const half = `${path}.${randomUUID()}${partial}`
  try {
    await copyFile(source, half, constants.COPYFILE_EXCL)
    const file = await open(half, 'r+')
    try {
      await file.chmod(0o600)
      // The copy bears the source's times on some systems; its age counts from now.
      const now = new Date()
      await file.utimes(now, now)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(half, path)
    await syncFolders(made === undefined ? folder : directory, folder)
  } catch (error) {
    await rm(half, { force: true })
    throw error
  }
}

/** The age is set before the rename: an object is never under its new key with the age it had under the old one. */
async function move(directory: string, source: string, target: string): Promise<void> {
  const now = new Date()
  await utimes(source, now, now)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await rename(source, target)
  await syncFolders(directory, dirname(target))
}

/** A rename, and a new folder, outlive a power cut once the folder that holds them is synced. */
async function syncFolders(from: string, to: string): Promise<void> {
  for (let folder = to; ; folder = dirname(folder)) {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
    if (folder === from || folder === dirname(folder)) return
  }
}

async function describe(directory: string, path: string): Promise<StoredObject | null> {
  try {
    const { size, mtime } = await stat(path)
    return { key: relative(directory, path).split(sep).join('/'), sizeBytes: size, ageMs: Date.now() - mtime.getTime() }
  } catch (error) {
    if (isAbsent(error)) return null
    throw storageError(error)
  }
}

async function* walk(directory: string, folder: string, halfAgeMs: number): AsyncGenerator<StoredObject> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return []
    throw storageError(error)
  })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(directory, path, halfAgeMs)
    else if (entry.name.endsWith(partial)) await removeForgotten(path, halfAgeMs)
    else {
      const found = await describe(directory, path)
      if (found) yield found
    }
  }
}

/** What a killed process left half-written is of no use to anyone. */
async function removeForgotten(path: string, halfAgeMs: number): Promise<void> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
  if (Date.now() - mtimeMs > halfAgeMs) await rm(path, { force: true })
}

async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw storageError(error)
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''
const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(error))

function storageError(error: unknown): unknown {
  const code = codeOf(error)
  if (isAbsent(error)) return new StorageError('absent', 'there is no such object', error)
  if (['ENOSPC', 'EDQUOT'].includes(code)) return new StorageError('full', `the disk is full (${code})`, error)
  return code ? new StorageError('unavailable', `the disk cannot be used (${code})`, error) : error
}
