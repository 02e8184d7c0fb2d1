import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { hourMs } from '#domain/durations.ts'
import { checkKey, convertErrors, StorageError, type ObjectStorage, type StoredObject } from './object-storage.ts'

/** The suffix of incomplete files, which no key can have. */
const partialSuffix = '.partial~'

/**
 * Stores objects as files of a directory that nothing else serves, readable only by their owner and
 * never executable. A file is renamed to its key after its bytes are synced, and its directory is
 * synced before `put` returns.
 */
export function diskStorage(directory: string, partialAgeMs = hourMs): ObjectStorage {
  const resolveKey = (key: string) => {
    checkKey(key)
    return join(directory, ...key.split('/'))
  }
  return {
    put: (key, source) => withStorageErrors(() => put(directory, resolveKey(key), source)),
    read: (key, { first, last }) =>
      withStorageErrors(async () => {
        const file = await open(resolveKey(key), 'r')
        return createReadStream('', { fd: file, start: first, end: last, autoClose: true })
      }),
    find: async (key) => describe(directory, resolveKey(key)),
    move: (from, to) => {
      const [source, target] = [resolveKey(from), resolveKey(to)]
      return withStorageErrors(() => move(directory, source, target))
    },
    remove: (key) => withStorageErrors(() => rm(resolveKey(key), { force: true })),
    list: (prefix) => walk(directory, join(directory, ...prefix.split('/').filter(Boolean)), partialAgeMs),
  }
}

async function put(directory: string, path: string, source: string): Promise<void> {
  const folder = dirname(path)
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 })
  const partialPath = `${path}.${randomUUID()}${partialSuffix}`
  partialsInProgress.add(partialPath)
  try {
    await copyFile(source, partialPath, constants.COPYFILE_EXCL)
    const file = await open(partialPath, 'r+')
    try {
      await file.chmod(0o600)
      // Some systems copy the source's times; the age counts from now.
      const now = new Date()
      await file.utimes(now, now)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partialPath, path)
    await syncFolders(firstCreated === undefined ? folder : directory, folder)
  } catch (error) {
    await rm(partialPath, { force: true })
    throw error
  } finally {
    partialsInProgress.delete(partialPath)
  }
}

/** The incomplete files that this process is writing, however old their file system calls them. */
const partialsInProgress = new Set<string>()

/** Resets the age before the rename, so that the new key never has the old age. */
async function move(directory: string, source: string, target: string): Promise<void> {
  const now = new Date()
  await utimes(source, now, now)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await rename(source, target)
  await syncFolders(directory, dirname(target))
}

/** Renames and new folders survive a power failure once their parent folder is synced. */
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

async function* walk(directory: string, folder: string, partialAgeMs: number): AsyncGenerator<StoredObject> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return []
    throw storageError(error)
  })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(directory, path, partialAgeMs)
    else if (entry.name.endsWith(partialSuffix)) await removeAbandoned(path, partialAgeMs)
    else {
      const found = await describe(directory, path)
      if (found) yield found
    }
  }
}

/** Removes an incomplete file of a killed process. */
async function removeAbandoned(path: string, partialAgeMs: number): Promise<void> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
  if (Date.now() - mtimeMs > partialAgeMs && !partialsInProgress.has(path)) await rm(path, { force: true })
}

const withStorageErrors = convertErrors(storageError)

const readErrorCode = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''
const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(readErrorCode(error))

function storageError(error: unknown): unknown {
  const code = readErrorCode(error)
  if (isAbsent(error)) return new StorageError('absent', 'there is no such object', error)
  if (['ENOSPC', 'EDQUOT'].includes(code)) return new StorageError('full', `the disk is full (${code})`, error)
  return code ? new StorageError('unavailable', `the disk cannot be used (${code})`, error) : error
}
