import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { diskStorage } from '../adapters/object-storage/disk.ts'
import { ownerMarkerKey, type ObjectStorage } from '../adapters/object-storage/object-storage.ts'
import { startS3Double } from '../adapters/object-storage/s3-double.testing.ts'
import { s3Storage } from '../adapters/object-storage/s3.ts'
import { LeaseLostError, runWithLease } from '../database/lease.ts'
import {
  claimBucket,
  claimEmptyBucket,
  readDatabaseIdentity,
  quarantineMs,
  readOwnerMarker,
  type DatabaseIdentity,
} from './bucket-owner.ts'
import { sweepOrphans } from './sweep-orphans.ts'

/**
 * Proves that the sweep removes nothing unless the bucket belongs to its database, and then only a
 * little at a time.
 */

let app: App
let identity: DatabaseIdentity
const scratch = mkdtempSync(join(tmpdir(), 'kist-sweep-'))
const source = join(scratch, 'source')
beforeAll(async () => {
  writeFileSync(source, 'bytes')
  app = await startApp(inject('cluster'), { settings: { KIST_ROLE: 'web', KIST_STORAGE_ORPHAN_SECONDS: '1800' } })
  identity = await app.database.asSystem(readDatabaseIdentity)
})
afterAll(async () => {
  await app.close()
  rmSync(scratch, { recursive: true })
})

type Store = { storage: ObjectStorage; age(key: string, ageMs: number): void; stop(): unknown }
const stores: [name: string, open: () => Promise<Store>][] = [
  [
    'disk',
    async () => {
      const directory = mkdtempSync(join(scratch, 'disk-'))
      const age = (key: string, ageMs: number) => utimesSync(join(directory, key), new Date(), new Date(Date.now() - ageMs))
      return { storage: diskStorage(directory), age, stop: () => {} }
    },
  ],
  [
    's3',
    async () => {
      const double = await startS3Double('kist-test')
      const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' }
      const storage = s3Storage({ kind: 's3', bucket: 'kist-test', region: 'ap-south-1', endpoint: double.url, credentials })
      return { storage, age: double.age, stop: double.close }
    },
  ],
]

describe.each(stores)('the sweep of a bucket on %s', (_name, open) => {
  let store: Store
  let storage: ObjectStorage
  let log: string[]
  beforeEach(async () => {
    store = await open()
    storage = store.storage
    log = []
  })
  afterEach(() => store.stop())

  const keys = async (prefix: string) => {
    const found: string[] = []
    for await (const { key } of storage.list(prefix)) found.push(key)
    return found.sort()
  }
  const add = async (count: number, prefix = 'documents/b/l/') => {
    const names = Array.from({ length: count }, (_, index) => `${prefix}o${String(index).padStart(4, '0')}`)
    await Promise.all(names.map((key) => storage.put(key, source)))
    for (const key of names) store.age(key, 3_600_000)
    return names
  }
  const claim = (claimed = identity) => claimBucket(storage, claimed, { by: 'Asha Rao', reason: 'of the test', at: new Date() })
  const sweep = async () => {
    const reported: [string, number][] = []
    const logger = pino(new Writable({ write: (chunk: Buffer, _encoding, done) => (log.push(chunk.toString()), done()) }))
    const report = (outcome: string, count: number) => void reported.push([outcome, count])
    await sweepOrphans({ ...app.context, storage, log: logger }, { signal: new AbortController().signal, report })
    return reported
  }

  it('removes nothing without a readable owner marker, and alerts', async () => {
    const orphans = await add(3)
    expect(await sweep()).toEqual([['unclaimed', 0]])
    expect(log.join('')).toContain('storage sweep stopped: bucket not claimed by this database')
    await storage.put(ownerMarkerKey, source)
    expect(await sweep()).toEqual([['unclaimed', 0]])
    expect(await keys('documents/')).toEqual(orphans)
  })
  it.each<[string, Partial<DatabaseIdentity>]>([
    ['another database', { databaseId: '0198a1f8-0000-4000-8000-000000000000' }],
    ['a copy on another server', { systemIdentifier: '1' }],
    ['a restored copy, or a replica before its promotion', { timeline: 77 }],
  ])('removes nothing from a bucket of %s until it is claimed', async (_whose, difference) => {
    const orphans = await add(3)
    await claim({ ...identity, ...difference })
    expect(await sweep()).toEqual([['foreign', 0]])
    expect(await keys('documents/')).toEqual(orphans)
    await claim()
    expect(await readOwnerMarker(storage)).toMatchObject({ identity, claimedBy: 'Asha Rao', reason: 'of the test' })
    expect(await sweep()).toEqual([['swept', 3]])
    expect(await keys('documents/')).toEqual([])
  })
  it('moves objects without a row to quarantine, and deletes them there after seven days', async () => {
    await claim()
    const orphans = await add(2)
    await storage.put('generated/b/l/young', source)
    expect(await sweep()).toEqual([['swept', 2]])
    const quarantined = orphans.map((key) => `quarantine/${key}`)
    expect(await keys('quarantine/')).toEqual(quarantined)
    expect(await keys('generated/')).toEqual(['generated/b/l/young'])
    store.age(quarantined[0] ?? '', quarantineMs + 60_000)
    store.age(quarantined[1] ?? '', quarantineMs - 60_000)
    expect(await sweep()).toEqual([['swept', 0]])
    expect(await keys('quarantine/')).toEqual(quarantined.slice(1))
  })
  it('moves an object back from quarantine if a row names it again, and never deletes it', async () => {
    await claim()
    const [key = ''] = await add(1, 'documents/named/l/')
    expect(await sweep()).toEqual([['swept', 1]])
    store.age(`quarantine/${key}`, quarantineMs + 60_000)
    const owner = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
    await owner.connect()
    await owner.query(
      `insert into generated_documents (borrower_id, loan_id, document_id, doc_type, language, content_hash, code, filename, storage_key, size_bytes, sha256, issued_on, created_at, created_by)
       values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'x', 'en', $1, 'code', 'x.pdf', $2, 5, $1, '2026-11-20', now(), 'test')`,
      [Buffer.from(key), key],
    )
    expect(await sweep()).toEqual([['swept', 0]])
    await owner.query('delete from generated_documents where storage_key = $1', [key]).finally(() => owner.end())
    expect([await keys('documents/'), await keys('quarantine/')]).toEqual([[key], []])
  })
  it('moves none, and alerts, if more than a hundred and more than one in a hundred have no row', async () => {
    await claim()
    const orphans = await add(101)
    expect(await sweep()).toEqual([['too_many', 101]])
    expect(log.join('')).toContain('storage sweep stopped: too many objects without a row')
    expect(await keys('documents/')).toEqual(orphans)
    await storage.remove(orphans[0] ?? '')
    expect(await sweep()).toEqual([['swept', 100]])
    expect(await keys('documents/')).toEqual([])
  })
  it('moves a hundred per run if they are no more than one in a hundred', async () => {
    await claim()
    const orphans = await add(101)
    // Recent objects count towards the total.
    const young = Array.from({ length: 10_000 }, (_, index) => ({ key: `generated/b/l/y${index}`, sizeBytes: 5, ageMs: 0 }))
    const { list } = storage
    storage = {
      ...storage,
      list: async function* (prefix) {
        yield* list(prefix)
        if (prefix === 'generated/') yield* young
      },
    }
    expect(await sweep()).toEqual([['swept', 100]])
    expect((await keys('documents/')).length).toBe(orphans.length - 100)
  })
  it('is claimed only if it is empty', async () => {
    const by = { by: 'kist migrate', reason: 'empty', at: new Date() }
    await storage.put('quarantine/documents/b/l/x', source)
    expect(await claimEmptyBucket(storage, identity, by)).toBe(false)
    await storage.remove('quarantine/documents/b/l/x')
    expect(await claimEmptyBucket(storage, identity, by)).toBe(true)
    expect(await claimEmptyBucket(storage, { ...identity, timeline: 99 }, by)).toBe(false)
    expect((await readOwnerMarker(storage))?.identity).toEqual(identity)
  })
  it('stops between two objects when its lease is lost', async () => {
    await claim()
    const orphans = await add(5)
    const run = runWithLease(app.database, { name: `sweep on ${_name}` }, (lease) => {
      // After the first object another process takes the lease.
      const move = async (from: string, to: string) => {
        await storage.move(from, to)
        await takeLeases()
        await expect(app.database.asSystem((sql) => lease.confirm(sql))).rejects.toBeInstanceOf(LeaseLostError)
      }
      return sweepOrphans({ ...app.context, storage: { ...storage, move } }, lease)
    })
    await expect(run).rejects.toThrow(/is no longer held/)
    expect((await keys('documents/')).length).toBe(orphans.length - 1)
  })
  const takeLeases = async () => {
    const owner = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
    await owner.connect()
    await owner.query('update leases set fencing_number = fencing_number + 1').finally(() => owner.end())
  }
})

it('the owner marker tells a database from its copy on another timeline of the same server', async () => {
  expect(identity).toEqual({
    databaseId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    systemIdentifier: expect.stringMatching(/^\d+$/),
    timeline: 1,
  })
})
