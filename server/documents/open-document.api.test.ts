import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { fetchFile, pdf, upload } from './files.testing.ts'
import { sweepOrphans } from './sweep-orphans.ts'

let app: App
let token: string
const content = pdf({ objects: '% 0123456789' })
let documentId = ''

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_STORAGE_ORPHAN_SECONDS: '1800' } })
  token = await app.signIn(demoPhone(1))
  documentId = String((await send('अंक "1"; a=b.pdf')).body['document_id'])
})
afterAll(() => app.close())

const send = (filename: string, bytes = content) =>
  upload(app, token, { content: bytes, filename, fields: { document_type: 'Others', lead_id: 'LEAD-004173', lan: 'KST-24-004173' } })
const open = (headers: Record<string, string> = {}, of = token) => fetchFile(app, `/portal/documents/${documentId}`, of, headers)
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const directory = () => {
  const { storage } = app.context.config.documents
  if (storage.kind !== 'disk') throw new Error('on disk')
  return storage.directory
}
const keyOf = async (id: string) =>
  (
    await app.database.asSystem((sql) =>
      sql.selectFrom('documents').select('storage_key').where('document_id', '=', id).executeTakeFirstOrThrow(),
    )
  ).storage_key

describe('200', () => {
  it('F09: the bytes, under a name of any script, with headers that prevent execution', async () => {
    const response = await open()
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toEqual(content)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="??? _1_; a=b.pdf"; filename*=UTF-8''${encodeURIComponent('अंक _1_; a=b.pdf')}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
    })
  })

  it.each([
    ['bytes=0-4', 206, 0, 5],
    ['bytes=10-', 206, 10, undefined],
    ['bytes=-7', 206, -7, undefined],
    ['bytes=0-999999', 206, 0, undefined],
    ['bytes=5-2', 200, 0, undefined],
    ['bytes=0-1,3-4', 200, 0, undefined],
    ['lines=1-2', 200, 0, undefined],
  ])('range %s is %d', async (range, status, from, to) => {
    const response = await open({ range })
    expect(response.status).toBe(status)
    expect(await bytesOf(response)).toEqual(content.subarray(from, to))
    if (status === 206) expect(response.headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${content.length}$`))
  })

  it('a range past the end is 416, and a range of an older version gets the whole file', async () => {
    const past = await open({ range: `bytes=${content.length}-` })
    expect([past.status, past.headers.get('content-range')]).toEqual([416, `bytes */${content.length}`])
    const etag = (await open()).headers.get('etag') ?? ''
    expect((await open({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
    expect((await open({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
  })

  it('the demo has documents with their bytes', async () => {
    const { documents } = (await app.get('/portal/documents?lead_id=LEAD-004173', token)).body as {
      documents: { document_id: string; metadata: { filename: string } }[]
    }
    expect(documents.map(({ metadata }) => metadata.filename)).toEqual([
      'अंक "1"; a=b.pdf'.replaceAll('"', '_'),
      'Marksheet semester 4.png',
      'Fee receipt 2026.pdf',
      'Marksheet semester 3.pdf',
    ])
    expect((await fetchFile(app, '/portal/documents/..%2f..%2fetc', token)).status).toBe(400)
    for (const { document_id: id } of documents) expect((await fetchFile(app, `/portal/documents/${id}`, token)).status).toBe(200)
  })
})

describe('4xx', () => {
  it("F11: 401 without a session, 404 for another borrower's document and a missing one", async () => {
    expect((await open({}, 'none')).status).toBe(401)
    const other = await app.signIn(demoPhone(2))
    const theirs = await open({}, other)
    const missing = await fetchFile(app, '/portal/documents/0198a1f8-0000-7000-8000-000000000000', other)
    expect([theirs.status, missing.status]).toEqual([404, 404])
    const [one, two] = [(await theirs.json()) as Record<string, unknown>, (await missing.json()) as Record<string, unknown>]
    expect({ ...one, request_id: '' }).toEqual({ ...two, request_id: '' })
    for (const id of ['x', documentId.slice(1), `${documentId.slice(0, -1)}g`])
      expect((await fetchFile(app, `/portal/documents/${id}`, token)).status).toBe(404)
  })
})

it('I12: every opening is an entry with person and document', async () => {
  const opened = async () =>
    (
      await app.database.asSystem((sql) => sql.selectFrom('access_log').selectAll().where('action', '=', 'document_opened').execute())
    ).filter(({ detail }) => (detail as Record<string, unknown>)['document_id'] === documentId)
  const before = (await opened()).length
  await open()
  await open({ range: 'bytes=1-2' })
  const staff = await app.signIn(demoPhone(9))
  const { body } = await app.post('/auth/assume', { user_id_to_assume: (await opened())[0]?.subject_id, reason: 'asked to' }, staff)
  expect((await open({}, String(body['token']))).status).toBe(200)
  const lines = (await opened()).slice(before)
  expect(lines).toHaveLength(3)
  expect(lines.filter(({ actor_id, subject_id }) => actor_id !== subject_id)).toHaveLength(1)
})

describe('bytes and rows', () => {
  it('F15: old bytes without a row are swept; bytes with a row and recent ones stay', async () => {
    const { storage } = app.context
    const kept = await keyOf(documentId)
    const orphan = kept.replace(documentId, '0198a1f8-0000-7000-8000-000000000000')
    await storage.put(orphan, join(directory(), kept))
    const lease = { signal: new AbortController().signal, report: () => {} }
    await sweepOrphans(app.context, lease)
    expect(await storage.find(orphan)).not.toBeNull()
    utimesSync(join(directory(), orphan), new Date(), new Date(Date.now() - 1_801_000))
    expect(await sweepOrphans(app.context, lease)).toBe(1)
    expect(await storage.find(orphan)).toBeNull()
    expect((await open()).status).toBe(200)
  })

  it('a row without bytes is 503, and nothing else is affected', async () => {
    const { body } = await send('lost.pdf', pdf({ objects: '% lost' }))
    rmSync(join(directory(), await keyOf(String(body['document_id']))))
    const response = await fetchFile(app, `/portal/documents/${String(body['document_id'])}`, token)
    expect([response.status, ((await response.json()) as Record<string, unknown>)['code']]).toEqual([503, 'StorageUnavailable'])
    expect((await open()).status).toBe(200)
  })
})
