import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { diskStorage } from '#server/adapters/object-storage/disk.ts'
import { connect } from '#server/database/connect.ts'
import { claimEmptyBucket, readDatabaseIdentity } from '#server/documents/bucket-owner.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { cloneDatabase, startTestCluster } from '#testkit/test-database.ts'
import { result, type TortureSuite } from './suite.ts'
import { startUploadsServer, type UploadsServer, type UploadsServerOptions } from './uploads-server.ts'

const phone = '+919855500001'
const loan = { lan: 'KST-DISK-1', leadId: 'LEAD-DISK-1' }
const uploadsAtOnce = 10
const uploadsPerKill = 100

type Findings = { lost: string[]; doubled: string[]; broken: string[] }

/**
 * A disk that becomes full during uploads, a read-only disk, and a server that is
 * killed during a hundred uploads.
 */
export const disk: TortureSuite = {
  name: 'disk',
  run: async ({ seed, rounds }) => {
    const found: Findings = { lost: [], doubled: [], broken: [] }
    const cluster = await startTestCluster()
    try {
      await onDatabase(cluster, (options) => fillDisk(options, found))
      await onDatabase(cluster, (options) => writeNothing(options, found))
      await onDatabase(cluster, (options) => killInTheMiddle(options, seed, rounds, found))
    } finally {
      await cluster.stop()
    }
    const detail = [...found.lost, ...found.doubled, ...found.broken]
    return result('disk', rounds + 2, { lost: found.lost.length, doubled: found.doubled.length, broken: found.broken.length }, detail)
  },
}

async function onDatabase(
  cluster: Parameters<typeof cloneDatabase>[0],
  work: (options: UploadsServerOptions) => Promise<void>,
): Promise<void> {
  const clone = await cloneDatabase(cluster)
  const directory = mkdtempSync(join(tmpdir(), 'kist-disk-'))
  const database = connect(clone.appUrl, { connectionsMax: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000 })
  try {
    const now = new Date()
    await addProduct(database, now, 'education', educationLoan)
    const borrowerId = await addPerson(database, now, { phone, firstName: 'Full', lastName: 'Disk' })
    const today = dayInIndia(now)
    await addLoan(database, now, borrowerId, {
      ...loan,
      title: 'x',
      sanctionedRupees: 100_000,
      disbursals: [{ date: today, rupees: 100_000 }],
      annualRatePercent: 12,
      instalments: 12,
      firstDueDate: addDays(today, 20),
    })
    await claimEmptyBucket(diskStorage(join(directory, 'documents')), await database.asSystem(readDatabaseIdentity), {
      by: 'torture',
      reason: 'empty',
      at: now,
    })
    await work({ databaseUrl: clone.appUrl, ownerUrl: clone.ownerUrl, directory, diskMegabytes: null })
  } finally {
    await database.close()
    await clone.drop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A valid, unique PDF of about this size. */
function paper(bytes: number): Buffer {
  const noise = randomBytes(bytes).toString('hex').slice(0, bytes)
  return Buffer.from(`%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n% ${noise}\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`)
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

async function fillDisk(options: UploadsServerOptions, found: Findings): Promise<void> {
  const server = await startUploadsServer({ ...options, diskMegabytes: 4 })
  try {
    const token = await server.signIn(phone)
    const filler = server.path('documents/filler')
    writeFileSync(filler, Buffer.alloc(1_500_000))
    const stored = new Map<string, string>()
    const statuses = await uploadMany(server, token, 60, stored, () => 100_000)
    if (!statuses.includes(503)) found.broken.push('the disk never filled up')
    for (const status of new Set(statuses))
      if (status !== 200 && status !== 503) found.broken.push(`an upload on a full disk answered ${status}`)
    await othersAnswer(server, token, found, 'a full disk')
    await compare(server, token, stored, found, true)
    const leftovers = readdirSync(server.path('staging'))
    if (leftovers.length > 0) found.broken.push(`${leftovers.length} files stayed in the staging directory`)
    rmSync(filler)
    const [status] = await uploadMany(server, token, 1, stored, () => 100_000)
    if (status !== 200) found.broken.push(`an upload after room was made answered ${status}`)
    await compare(server, token, stored, found, true)
  } finally {
    await server.kill()
  }
}

/** A file system that the kernel has made read-only after a disk failure. */
async function writeNothing(options: UploadsServerOptions, found: Findings): Promise<void> {
  const server = await startUploadsServer({ ...options, diskMegabytes: 4, isReadOnly: true })
  try {
    const token = await server.signIn(phone)
    const stored = new Map<string, string>()
    for (const status of await uploadMany(server, token, 3, stored, () => 1_000))
      if (status !== 503) found.broken.push(`an upload on a read-only disk answered ${status}`)
    await othersAnswer(server, token, found, 'a read-only disk')
    await compare(server, token, stored, found, true)
  } finally {
    await server.kill()
  }
}

async function othersAnswer(server: UploadsServer, token: string, found: Findings, disk: string): Promise<void> {
  for (const path of ['/portal/loans-summary', `/portal/documents?lead_id=${loan.leadId}`, `/portal/tranche-details?lan=${loan.lan}`]) {
    const { status } = await server.get(path, token)
    if (status !== 200) found.broken.push(`${path} answered ${status} on ${disk}`)
  }
}

async function killInTheMiddle(options: UploadsServerOptions, seed: number, rounds: number, found: Findings): Promise<void> {
  const stored = new Map<string, string>()
  let server = await startUploadsServer(options)
  let token = await server.signIn(phone)
  for (let round = 0; round < rounds; round += 1) {
    const uploads = uploadMany(server, token, uploadsPerKill, stored, (index) => 1_000 + ((index * 7_919 + seed) % 60_000))
    await delay(30 + (((seed + round) * 137) % 700))
    await server.kill()
    await uploads
    server = await startUploadsServer(options)
    token = await server.signIn(phone)
    await compare(server, token, stored, found, false)
    await swept(server, token, found)
    process.stderr.write(`disk: ${round + 1} of ${rounds} kills\r`)
  }
  await server.kill()
}

/**
 * Uploads; records id and hash of every 200. A broken connection counts as no answer.
 * @returns the statuses.
 */
async function uploadMany(
  server: UploadsServer,
  token: string,
  count: number,
  stored: Map<string, string>,
  bytesOf: (index: number) => number,
): Promise<number[]> {
  const statuses: number[] = []
  let next = 0
  const one = async () => {
    while (next < count) {
      const content = paper(bytesOf(next++))
      const answer = await server.upload(token, loan, content).catch(() => null)
      if (!answer) continue
      statuses.push(answer.status)
      if (answer.status === 200) stored.set(answer.documentId, sha256(content))
    }
  }
  await Promise.all(Array.from({ length: uploadsAtOnce }, one))
  return statuses
}

/** Every acknowledged upload is listed once, and every listed document has its bytes. */
async function compare(
  server: UploadsServer,
  token: string,
  stored: ReadonlyMap<string, string>,
  found: Findings,
  isAllAnswered: boolean,
): Promise<void> {
  const { body } = await server.get(`/portal/documents?lead_id=${loan.leadId}`, token)
  const listed = (body['documents'] as { document_id: string }[]).map(({ document_id: id }) => id)
  for (const id of stored.keys()) if (!listed.includes(id)) found.lost.push(`document ${id} was answered and is not listed`)
  if (new Set(listed).size !== listed.length || (isAllAnswered && listed.length !== stored.size))
    found.doubled.push(`${listed.length} documents are listed, ${stored.size} were answered`)
  for (const id of listed) {
    const hash = await server.sha256Of(id, token)
    const expected = stored.get(id)
    if (expected === undefined ? !/^[0-9a-f]{64}$/.test(hash) : hash !== expected)
      found.lost.push(`document ${id} is listed without its bytes: ${hash}`)
  }
}

/**
 * In the end every file has a row or is in quarantine, and none is in the staging
 * directory.
 */
async function swept(server: UploadsServer, token: string, found: Findings): Promise<void> {
  let seen = ''
  for (let tries = 0; tries < 400; tries += 1) {
    const { body } = await server.get(`/portal/documents?lead_id=${loan.leadId}`, token)
    const rows = (body['documents'] as unknown[]).length
    const folder = join(server.path('documents'), 'documents')
    const files = (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []).filter((entry) =>
      entry.isFile(),
    ).length
    const staged = readdirSync(server.path('staging')).length
    seen = `${rows} rows, ${files} files, ${staged} staged`
    if (rows === files && staged === 0) return
    await delay(100)
  }
  found.broken.push(`orphans were not swept: ${seen}`)
}
