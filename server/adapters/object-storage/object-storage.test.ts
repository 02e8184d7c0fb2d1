import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diskStorage } from './disk.ts'
import { checkKey, ownerMarkerKey, StorageError, type ObjectStorage } from './object-storage.ts'
import { s3Storage } from './s3.ts'
import { startS3Double } from './s3-double.testing.ts'

/** The input of the conformance test: a store, and a way to make it fail if there is one. */
type Fixture = { storage: ObjectStorage; fail?: () => void; mend?: () => void; stop(): Promise<void> | void }

const stores: Record<string, () => Promise<Fixture>> = {
  disk: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kist-objects-'))
    const blocked = join(directory, 'documents')
    return {
      storage: diskStorage(directory),
      // A file in place of the folder: not even root can write below it.
      fail: () => {
        rmSync(blocked, { recursive: true, force: true })
        writeFileSync(blocked, '')
      },
      mend: () => rmSync(blocked, { force: true }),
      stop: () => rmSync(directory, { recursive: true, force: true }),
    }
  },
  s3: async () => {
    const double = await startS3Double('kist-test')
    return {
      storage: s3Storage({
        kind: 's3',
        bucket: 'kist-test',
        region: 'ap-south-1',
        endpoint: double.url,
        credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
      }),
      fail: () => double.fail(true),
      mend: () => double.fail(false),
      stop: double.close,
    }
  },
}

/**
 * A real service, if the test's settings name one (docs/swift.md). The test removes its objects.
 */
const {
  KIST_TEST_S3_ENDPOINT: endpoint,
  KIST_TEST_S3_BUCKET: bucket = '',
  KIST_TEST_S3_ACCESS_KEY_ID: accessKeyId = '',
  KIST_TEST_S3_SECRET_ACCESS_KEY: secretAccessKey = '',
} = process.env
if (endpoint !== undefined)
  stores['a real service'] = async () => {
    const storage = s3Storage({ kind: 's3', bucket, region: 'ap-south-1', endpoint, credentials: { accessKeyId, secretAccessKey } })
    const clear = async () => {
      for (const prefix of ['documents/', 'generated/', 'quarantine/'])
        for await (const { key } of storage.list(prefix)) await storage.remove(key)
    }
    await clear()
    return { storage, stop: clear }
  }

const scratch = mkdtempSync(join(tmpdir(), 'kist-source-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const source = (content: Buffer): string => {
  const path = join(scratch, randomBytes(8).toString('hex'))
  writeFileSync(path, content)
  return path
}
const keyOf = (name: string) => `documents/borrower/loan/${name}`

describe.each(Object.entries(stores))('documents in %s', (_name, makeFixture) => {
  let fixture: Fixture
  let storage: ObjectStorage
  beforeAll(async () => {
    fixture = await makeFixture()
    storage = fixture.storage
  })
  afterAll(() => fixture.stop())

  const all = async (prefix: string) => {
    const keys: string[] = []
    for await (const { key } of storage.list(prefix)) keys.push(key)
    return keys.sort()
  }
  const read = async (key: string, first: number, last: number) => buffer(await storage.read(key, { first, last }))

  it.each([1, 1_000, 3_000_000])('stores %d bytes unchanged', async (size) => {
    const content = randomBytes(size)
    await storage.put(keyOf(`a-${size}`), source(content))
    expect(await read(keyOf(`a-${size}`), 0, size - 1)).toEqual(content)
    expect(await storage.find(keyOf(`a-${size}`))).toMatchObject({ key: keyOf(`a-${size}`), sizeBytes: size })
  })

  it('reads a range, both ends included', async () => {
    await storage.put(keyOf('range'), source(Buffer.from('0123456789')))
    expect((await read(keyOf('range'), 3, 5)).toString()).toBe('345')
    expect((await read(keyOf('range'), 9, 9)).toString()).toBe('9')
  })

  it('replaces an earlier object atomically', async () => {
    await storage.put(keyOf('twice'), source(Buffer.from('first and longer')))
    await storage.put(keyOf('twice'), source(Buffer.from('second')))
    expect((await read(keyOf('twice'), 0, 5)).toString()).toBe('second')
    expect((await storage.find(keyOf('twice')))?.sizeBytes).toBe(6)
  })

  it('gives its age by the machine’s clock', async () => {
    await storage.put(keyOf('age'), source(Buffer.from('x')))
    expect((await storage.find(keyOf('age')))?.ageMs).toBeLessThan(60_000)
  })

  it('stores fifty concurrently', async () => {
    const contents = Array.from({ length: 50 }, (_, index) => Buffer.from(`document ${index}`))
    await Promise.all(contents.map((content, index) => storage.put(`documents/many/loan/m${index}`, source(content))))
    expect((await all('documents/many/')).length).toBe(50)
    for (const [index, content] of contents.entries())
      expect(await read(`documents/many/loan/m${index}`, 0, content.length - 1)).toEqual(content)
  })

  it('lists only the objects below a prefix', async () => {
    await storage.put('generated/borrower/loan/one.pdf', source(Buffer.from('x')))
    expect(await all('generated/')).toEqual(['generated/borrower/loan/one.pdf'])
    expect(await all('nothing/')).toEqual([])
    expect((await all('documents/')).length).toBeGreaterThan(50)
  })

  it('moves an object, resets its age, and reports a missing one', async () => {
    const content = randomBytes(2_000)
    await storage.put(keyOf('moved'), source(content))
    await storage.move(keyOf('moved'), `quarantine/${keyOf('moved')}`)
    expect(await storage.find(keyOf('moved'))).toBeNull()
    expect(await read(`quarantine/${keyOf('moved')}`, 0, 1_999)).toEqual(content)
    expect((await storage.find(`quarantine/${keyOf('moved')}`))?.ageMs).toBeLessThan(60_000)
    expect(await all('quarantine/')).toEqual([`quarantine/${keyOf('moved')}`])
    await expect(storage.move(keyOf('moved'), keyOf('elsewhere'))).rejects.toMatchObject({ name: 'StorageError', reason: 'absent' })
    await storage.remove(`quarantine/${keyOf('moved')}`)
  })

  it('stores the owner marker outside the folders and their lists', async () => {
    await storage.put(ownerMarkerKey, source(Buffer.from('{}')))
    expect((await storage.find(ownerMarkerKey))?.sizeBytes).toBe(2)
    for (const prefix of ['documents/', 'generated/', 'quarantine/']) expect(await all(prefix)).not.toContain(ownerMarkerKey)
    await storage.remove(ownerMarkerKey)
  })

  it('removes objects, also missing ones', async () => {
    await storage.put(keyOf('gone'), source(Buffer.from('x')))
    await storage.remove(keyOf('gone'))
    await storage.remove(keyOf('gone'))
    expect(await storage.find(keyOf('gone'))).toBeNull()
  })

  it('reports a missing object before the first byte', async () => {
    await expect(storage.read(keyOf('absent'), { first: 0, last: 0 })).rejects.toMatchObject({ name: 'StorageError', reason: 'absent' })
    expect(await storage.find(keyOf('absent'))).toBeNull()
  })

  it('refuses a key that could escape its directory', async () => {
    for (const key of ['../x', 'documents/../../x', '/etc/passwd', 'documents//x', 'documents/x/', 'Documents/x', 'documents/\0', ''])
      await expect(async () => storage.put(key, source(Buffer.from('x')))).rejects.toThrow('Not a storage key')
  })

  it('reports failures uniformly, stores nothing partially, and works again afterwards', async () => {
    if (!fixture.fail || !fixture.mend) return
    fixture.fail()
    await expect(storage.put(keyOf('failing'), source(Buffer.from('x')))).rejects.toBeInstanceOf(StorageError)
    fixture.mend()
    expect(await storage.find(keyOf('failing'))).toBeNull()
    await storage.put(keyOf('failing'), source(Buffer.from('x')))
    expect(await storage.find(keyOf('failing'))).not.toBeNull()
  })
})

it('a bucket that accepts connections and never answers is unavailable after the time limit', async () => {
  const open = new Set<Socket>()
  const silent = createServer((socket) => open.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' }
  const storage = s3Storage({ kind: 's3', bucket: 'kist-test', region: 'ap-south-1', endpoint, credentials }, 100)
  const unavailable = { reason: 'unavailable' }
  await expect(storage.read(keyOf('a'), { first: 0, last: 1 })).rejects.toMatchObject(unavailable)
  await expect(storage.put(keyOf('a'), source(Buffer.from('x')))).rejects.toMatchObject(unavailable)
  await expect(storage.find(keyOf('a'))).rejects.toMatchObject(unavailable)
  for (const socket of open) socket.destroy()
  silent.close()
})

describe('the disk', () => {
  it('F10: stores files for their owner only, not executable, and hides incomplete ones', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kist-objects-'))
    const storage = diskStorage(directory)
    const path = source(Buffer.from('#!/bin/sh'))
    chmodSync(path, 0o777)
    await storage.put('documents/b/l/script', path)
    expect(statSync(join(directory, 'documents/b/l/script')).mode & 0o777).toBe(0o600)
    const half = join(directory, 'documents/b/l/x.1.partial~')
    writeFileSync(half, 'ha')
    // The file system’s clock does not follow a moved one.
    utimesSync(half, new Date(), new Date())
    const keys: string[] = []
    for await (const { key } of storage.list('documents/')) keys.push(key)
    expect(keys).toEqual(['documents/b/l/script'])
    expect(existsSync(half)).toBe(true)
    utimesSync(half, 1, 1)
    for await (const { key } of storage.list('documents/')) keys.push(key)
    expect(readdirSync(join(directory, 'documents/b/l'))).toEqual(['script'])
    rmSync(directory, { recursive: true })
  })
})

it('a key has parts of lower-case letters, digits and - _ .', () => {
  expect(() => checkKey('documents/0198-ab/cd_1/ef.pdf')).not.toThrow()
})
