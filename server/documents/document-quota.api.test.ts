import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { dayInIndia } from '#domain/calendar.ts'
import { minuteMs, dayMs } from '#domain/durations.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { findGenerated, insertGenerated, type GeneratedRow } from './document-store.ts'
import { fetchFile } from './files.testing.ts'
import { documentsWithBytesMax } from './remove-old-bytes.ts'

let app: App
let token: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_LIMITS: 'strict' } })
  // Noon in India, so that no test crosses midnight: a document of the next day is a different one.
  await app.clock.advance(dayMs - ((app.clock.now().getTime() - 6.5 * 60 * minuteMs) % dayMs))
  token = await app.signIn(demoPhone(1))
})
afterAll(() => app.close())

const path = '/portal/generate-document?lead_id=LEAD-004173&doc_type='
const generate = (docType = 'repayment_schedule', more = '') => app.get(`${path}${docType}${more}`, token)
const open = async (docUrl: unknown) => {
  const { pathname, search } = new URL(String(docUrl))
  return fetchFile(app, pathname + search)
}

it('L15: a session gets exactly 30 documents an hour, and then the time until the next one', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 32; count += 2) for (const { status } of await Promise.all([generate(), generate()])) statuses.push(status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  const refused = await fetchFile(app, `${path}repayment_schedule`, token)
  expect(refused.status).toBe(429)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(3_000)
  expect(seconds).toBeLessThanOrEqual(3_600)
  expect(await refused.json()).toMatchObject({ code: 'TooManyRequests', detail: expect.stringContaining('30 documents an hour') })
  // After an hour, and in a new session, because half an hour without requests ends a session.
  await app.clock.advance(61 * minuteMs)
  token = await app.signIn(demoPhone(1))
  expect((await generate()).status).toBe(200)
})

it('L16: the bytes of the latest 200 documents are stored; an older one is written again on request, with the same code', async () => {
  const first = (await generate('statement_of_account')).body
  const code = String(first['verification_code'])
  const rowOf = () =>
    app.database.asSystem((sql) => sql.selectFrom('generated_documents').selectAll().where('code', '=', code).executeTakeFirstOrThrow())
  const old = await rowOf()
  const addLater = async (docType: GeneratedRow['doc_type'], at: Date, count: number): Promise<GeneratedRow[]> => {
    const rows = Array.from({ length: count }, (_, index): GeneratedRow => {
      const documentId = uuidv7()
      return {
        ...old,
        document_id: documentId,
        doc_type: docType,
        content_hash: randomBytes(32),
        code: documentId,
        storage_key: `generated/later/${documentId}.pdf`,
        created_at: new Date(at.getTime() + index),
        bytes_written_at: null,
        bytes_removed_at: null,
      }
    })
    await app.database.asBorrower(old.borrower_id, async (sql) => {
      for (const row of rows) expect(await insertGenerated(sql, row)).toBe(true)
    })
    return rows
  }
  const [receipt] = await addLater('payment_receipt', new Date(old.created_at.getTime() - dayMs), 1)
  await addLater('repayment_schedule', app.clock.now(), documentsWithBytesMax)
  expect((await open(first['doc_url'])).status).toBe(200)
  await app.clock.advance(11 * minuteMs)
  expect((await generate('interest_certificate')).status).toBe(200)
  expect(await rowOf()).toMatchObject({ document_id: old.document_id, bytes_removed_at: expect.any(Date) })
  await expect(app.context.storage.read(old.storage_key, { first: 0, last: 1 })).rejects.toThrow()
  const storedReceipt = await app.database.asBorrower(old.borrower_id, (sql) =>
    findGenerated(sql, old.borrower_id, receipt?.content_hash ?? Buffer.alloc(0)),
  )
  expect(storedReceipt).toMatchObject({ bytes_removed_at: null })
  const verified = (await app.get(`/documents/verify?code=${code}`)).body
  expect(verified).toMatchObject({ doc_type: 'statement_of_account', issued_on: dayInIndia(app.clock.now()) })

  const { documents } = app.context.config
  const { ticketKey } = documents
  onTestFinished(() => void (documents.ticketKey = ticketKey))
  documents.ticketKey = 'of a changed KIST_CODE_KEY'
  const again = (await generate('statement_of_account')).body
  expect(again['verification_code']).toBe(code)
  expect((await open(again['doc_url'])).status).toBe(200)
  expect(await rowOf()).toMatchObject({ document_id: old.document_id, bytes_removed_at: null, sha256: old.sha256 })
  expect((await app.get(`/documents/verify?code=${code}`)).body).toEqual(verified)
})

it('opening a document again and again is limited: each leaves an entry that nobody can delete', async () => {
  await app.clock.advance(61 * minuteMs)
  token = await app.signIn(demoPhone(1))
  const { doc_url } = (await generate('statement_of_account')).body
  const answers: Awaited<ReturnType<typeof open>>[] = []
  const findRefused = () => answers.find(({ status }) => status === 429)
  while (answers.length < 1_000 && !findRefused()) answers.push(...(await Promise.all(Array.from({ length: 8 }, () => open(doc_url)))))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(300)
  expect(findRefused()?.headers.get('retry-after')).toBe('1')
  await app.clock.advance(2_000)
  expect((await open(doc_url)).status).toBe(200)
})
