import { readdirSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { addLoan, addPerson } from '#testkit/builders.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { scannerDownMark, testVirus } from '../adapters/virus-scan/local.ts'
import { bmp, exif, fetchFile, jpeg, packedPart, pdf, png, pngText, upload, webp, type Upload } from './files.testing.ts'

let app: App
let token: string
let own: { lan: string; lead_id: string; partner_loan_id: string }
const sizeMax = 100_000

beforeAll(async () => {
  app = await startApp(inject('cluster'), {
    town: true,
    settings: { KIST_UPLOAD_SIZE_MAX_BYTES: String(sizeMax), KIST_DOCUMENTS_PER_LOAN: '30' },
  })
  token = await app.signIn(demoPhone(11))
  own = await loanOf(token)
})
afterAll(() => app.close())

const loanOf = async (of: string) => ((await app.get('/portal/loans-summary', of)).body['loans'] as (typeof own)[])[0] as typeof own
const fieldsOf = (loan = own, document_type = 'Transcript') => ({
  document_type,
  lead_id: loan.lead_id,
  partner_loan_id: loan.partner_loan_id,
  lan: loan.lan,
})
const send = (file: Partial<Upload> & { content: Buffer }, of = token) => upload(app, of, { fields: fieldsOf(), ...file })
const listed = async () => (await app.get(`/portal/documents?lead_id=${own.lead_id}`, token)).body['documents'] as Record<string, unknown>[]
const bytesOf = async (documentId: unknown) =>
  Buffer.from(await (await fetchFile(app, `/portal/documents/${String(documentId)}`, token)).arrayBuffer())

/** A refused file leaves no row and no bytes. */
const refuses = async (file: Partial<Upload> & { content: Buffer }, status: number, code: string) => {
  const before = (await listed()).length
  const objects = storedObjects()
  expect(await send(file)).toMatchObject({ status, body: { code } })
  expect((await listed()).length).toBe(before)
  expect(storedObjects()).toEqual(objects)
  expect(staged()).toEqual([])
}
const storedObjects = () => {
  const { storage } = app.context.config.documents
  return storage.kind === 'disk' ? filesBelow(storage.directory) : []
}
const staged = () => filesBelow(app.context.config.documents.stagingDirectory)
const filesBelow = (directory: string): string[] => {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
      .sort()
  } catch {
    return []
  }
}

describe('200', () => {
  it.each([
    ['application/pdf', 'marks.pdf', pdf()],
    ['image/png', 'marks.png', png()],
    ['image/jpeg', 'marks.jpg', jpeg()],
    ['image/webp', 'marks.webp', webp()],
    ['image/bmp', 'marks.bmp', bmp()],
    ['image/jpg', 'marks.jpeg', jpeg({ width: 17 })],
  ])('stores %s', async (type, filename, content) => {
    const { status, body } = await send({ content, filename, type })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { document_id: expect.any(String), metadata: { document_type: 'Transcript', filename } },
    })
    expect(await bytesOf(body['document_id'])).toEqual(content)
    expect((await listed())[0]).toEqual(body)
  })

  it('accepts the fields before or after the file, and partner_loan_id empty or absent', async () => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(png({ trailing: 'x' }))], { type: 'image/png' }), 'first.png')
    for (const [name, value] of Object.entries({ ...fieldsOf(), partner_loan_id: '' })) form.append(name, value)
    const response = await fetch(`${app.url}${apiPrefix}/portal/upload-document`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
    const { partner_loan_id: _none, ...without } = fieldsOf(own, 'Others')
    expect((await send({ content: pdf({ objects: 'no partner' }), fields: without })).status).toBe(200)
  })

  it('returns the same document for the same file sent again, also concurrently', async () => {
    const content = pdf({ objects: '% again' })
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => send({ content })))
    for (const other of others) expect(other).toEqual(first)
    expect((await listed()).filter(({ document_id }) => document_id === first?.body['document_id'])).toHaveLength(1)
    expect((await send({ content, fields: fieldsOf(own, 'Others') })).body['document_id']).not.toBe(first?.body['document_id'])
  })

  it('F13: keeps only the orientation of a camera’s metadata', async () => {
    const { body } = await send({
      content: jpeg({ notes: [exif(6, '18.52N 73.85E')], trailing: '<?php' }),
      filename: 'a.jpg',
      type: 'image/jpeg',
    })
    const stored = (await bytesOf(body['document_id'])).toString('latin1')
    expect(stored).not.toMatch(/GPS|18\.52|php/)
    expect(stored).toContain('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06')
  })

  it('F05: removes data appended to or hidden in a picture', async () => {
    const notes = '<script>alert(1)</script>'
    for (const file of [
      { content: png({ chunks: [pngText(notes)], trailing: notes }), filename: 'p.png', type: 'image/png' },
      { content: webp({ exifText: notes }), filename: 'w.webp', type: 'image/webp' },
      { content: bmp({ trailing: notes }), filename: 'b.bmp', type: 'image/bmp' },
    ]) {
      const { status, body } = await send(file)
      expect(status).toBe(200)
      expect((await bytesOf(body['document_id'])).toString('latin1')).not.toContain('script')
    }
  })

  it.each([
    ['../../etc/passwd.pdf', 'passwd.pdf'],
    ['C:\\papers\\marks.pdf', 'marks.pdf'],
    ['अंकतालिका – वर्ष १.pdf', 'अंकतालिका – वर्ष १.pdf'],
    ['annexe\u202Efdp.exe.pdf', 'annexefdp.exe.pdf'],
    [`${'long'.repeat(80)}.pdf`, `${'long'.repeat(80).slice(0, 150)}.pdf`],
    ['\u0000\u0007.pdf', 'document.pdf'],
    ['😀.pdf', '😀.pdf'],
    ['noending', 'noending.pdf'],
  ])('F08: keeps the name %j as text', async (filename, kept) => {
    const { body } = await send({ content: pdf({ objects: `% ${Buffer.from(filename).toString('hex')}` }), filename })
    expect(body).toMatchObject({ metadata: { filename: kept } })
  })
})

describe('4xx', () => {
  it.each([
    ['an HTML page', Buffer.from('<html><script>alert(1)</script>')],
    ['a ZIP, also one that unpacks to a thousand times its size', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(500)])],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ['a program', Buffer.from('MZ\x90\0\x03')],
    ['a GIF', Buffer.from('GIF89a')],
    ['a TIFF', Buffer.from('II*\0')],
    ['a PNG', png()],
    ['one byte', Buffer.from('%')],
  ])('F03: %s under the name of a PDF is 415', (_what, content) => refuses({ content }, 415, 'FileTypeUnsupported'))

  it('F02: a valid file under another type or extension is 415, with the text of the specification', async () => {
    await refuses({ content: pdf(), type: 'image/png', filename: 'a.png' }, 415, 'FileTypeUnsupported')
    await refuses({ content: pdf(), filename: 'a.exe' }, 415, 'FileTypeUnsupported')
    await refuses({ content: Buffer.from('GIF89a'), type: 'image/gif', filename: 'a.gif' }, 415, 'FileTypeUnsupported')
    const { body } = await send({ content: pdf(), type: 'text/plain' })
    expect(body).toMatchObject({ detail: 'Unsupported file type. Please upload PDF, BMP, JPEG, PNG, or WEBP files.', field: 'file' })
  })

  it('F04: an empty file is 400, with the text of the specification', async () => {
    await refuses({ content: Buffer.alloc(0) }, 400, 'FileEmpty')
    expect((await send({ content: Buffer.alloc(0) })).body).toMatchObject({
      detail: 'File is empty. Please select a valid file with content.',
    })
  })

  it('F01: one byte over the limit is 413, and the limit itself is stored', async () => {
    const paddingBytes = sizeMax - pdf().length
    await refuses({ content: pdf({ objects: `%${'x'.repeat(paddingBytes)}` }) }, 413, 'FileTooLarge')
    expect((await send({ content: pdf({ objects: `%${'x'.repeat(paddingBytes - 1)}` }) })).status).toBe(200)
    await refuses({ content: Buffer.alloc(5_000_000) }, 413, 'FileTooLarge')
  })

  it.each([
    ['a script', pdf({ objects: '7 0 obj << /S /JavaScript /JS (app.alert(1)) >> endobj' })],
    ['a script with a name in disguise', pdf({ objects: '7 0 obj << /S /J#61vaScr#69pt /JS (1) >> endobj' })],
    ['a script in a packed part', pdf({ objects: packedPart(Buffer.from('7 0 << /S /JavaScript /JS (1) >>')) })],
    ['a program to start', pdf({ objects: '7 0 obj << /S /Launch /F (cmd.exe) >> endobj' })],
    ['a file in it', pdf({ objects: '7 0 obj << /Type /EmbeddedFile >> endobj' })],
    ['a form that sends', pdf({ objects: '7 0 obj << /S /SubmitForm /F (http://evil.example) >> endobj' })],
    ['a password', pdf({ trailer: '/Encrypt 8 0 R' })],
    ['a page of HTML behind it', pdf({ trailing: '<script>alert(1)</script>' })],
    ['a part that unpacks to a hundred million bytes', pdf({ objects: packedPart(Buffer.alloc(100_000_000)) })],
    ['a part packed twice', pdf({ objects: packedPart(Buffer.from('x'), '[/ASCIIHexDecode /FlateDecode]') })],
    ['no end', pdf().subarray(0, 100)],
  ])('a PDF with %s is 422', (_what, content) => refuses({ content }, 422, 'FileRefused'))

  it.each([
    ['a picture that ends too early', png().subarray(0, 50), 'image/png'],
    ['a picture with a wrong checksum', Buffer.concat([png().subarray(0, 50), Buffer.from('?'), png().subarray(51)]), 'image/png'],
    ['a JPEG without a picture', Buffer.from('\xff\xd8\xff\xd9', 'latin1'), 'image/jpeg'],
    ['a BMP of nothing', Buffer.from(`BM${'\0'.repeat(60)}`), 'image/bmp'],
  ])('%s is 422', (_what, content, type) => refuses({ content, type, filename: 'a' }, 422, 'FileRefused'))

  it('F06: a picture of 50,000 by 50,000 points is 422', () =>
    refuses({ content: png({ width: 50_000, height: 50_000 }), type: 'image/png', filename: 'a' }, 422, 'FileRefused'))

  it('F14: the test virus is refused at any position', async () => {
    await refuses({ content: Buffer.from(testVirus) }, 422, 'FileRefused')
    await refuses({ content: png({ trailing: testVirus }), type: 'image/png', filename: 'a.png' }, 422, 'FileRefused')
  })

  it('F14: nothing is stored while the scanner is down', () =>
    refuses({ content: pdf({ objects: `% ${scannerDownMark}` }) }, 503, 'ScannerUnavailable'))

  it('a malformed form, one without the file or a field, or with a repeated field', async () => {
    expect((await app.post('/portal/upload-document', fieldsOf(), token)).status).toBe(415)
    await refuses({ content: pdf(), field: 'document' }, 400, 'InvalidRequest')
    await refuses({ content: pdf(), fields: { ...fieldsOf(), document_type: 'Passport' } }, 400, 'InvalidRequest')
    const { lead_id: _lead, ...without } = fieldsOf()
    await refuses({ content: pdf(), fields: without }, 400, 'InvalidRequest')
    for (const name of ['file', 'lan']) {
      const form = new FormData()
      for (const [field, value] of Object.entries(fieldsOf())) form.append(field, value)
      const file = () => new Blob([new Uint8Array(pdf())], { type: 'application/pdf' })
      form.append('file', file(), 'a.pdf')
      if (name === 'file') form.append('file', file(), 'b.pdf')
      else form.append('lan', own.lan)
      const response = await fetch(`${app.url}${apiPrefix}/portal/upload-document`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${token}` },
      })
      expect([name, response.status]).toEqual([name, 400])
    }
    expect(staged()).toEqual([])
  })

  it("another loan's ids are 404, alone or mixed with own ids", async () => {
    const other = await loanOf(await app.signIn(demoPhone(1)))
    await refuses({ content: pdf(), fields: fieldsOf(other) }, 404, 'NotFound')
    for (const name of ['lead_id', 'lan', 'partner_loan_id'] as const)
      await refuses({ content: pdf(), fields: { ...fieldsOf(), [name]: other[name] } }, 404, 'NotFound')
  })

  it('a loan that is overdue or closed, or has no lead id, is 409', async () => {
    const late = await app.signIn(demoPhone(5))
    expect(await send({ content: pdf(), fields: fieldsOf(await loanOf(late)) }, late)).toMatchObject({
      status: 409,
      body: { code: 'LoanNotActive' },
    })
    const without = await app.signIn(demoPhone(7))
    const loan = await loanOf(without)
    expect(await send({ content: pdf(), fields: { ...fieldsOf(loan), lead_id: loan.lan } }, without)).toMatchObject({
      status: 409,
      body: { code: 'LeadIdMissing', detail: 'Lead ID not available for document upload' },
    })
  })

  it('401 without a session, 403 without the permission', async () => {
    expect((await send({ content: pdf() }, 'none')).status).toBe(401)
    const phone = '+919811100001'
    await addPerson(app.database, app.clock.now(), { phone, firstName: 'May', lastName: 'Not', permissions: ['document:read'] })
    expect((await send({ content: pdf() }, await app.signIn(phone))).status).toBe(403)
  })

  it('F07: a loan accepts its quota of documents, also of concurrent ones', async () => {
    const phone = '+919811100002'
    const now = app.clock.now()
    const borrowerId = await addPerson(app.database, now, { phone, firstName: 'Many', lastName: 'Papers' })
    await addLoan(app.database, now, borrowerId, {
      lan: 'KST-Q-1',
      leadId: 'LEAD-Q-1',
      title: 'x',
      sanctionedRupees: 1000,
      disbursals: [{ date: dayInIndia(now), rupees: 1000 }],
      annualRatePercent: 10,
      instalments: 12,
      firstDueDate: addDays(dayInIndia(now), 20),
    })
    const many = await app.signIn(phone)
    const fields = { document_type: 'Others', lead_id: 'LEAD-Q-1', lan: 'KST-Q-1' }
    const sendAtOnce = (count: number, from: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => send({ content: pdf({ objects: `% ${from + index}` }), fields }, many)))
    // Small batches, so that no upload times out on a busy machine; the last batch exceeds the
    // quota.
    for (let from = 0; from < 24; from += 6)
      expect((await sendAtOnce(6, from)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    const answers = await sendAtOnce(11, 24)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6)
    expect(answers.filter(({ body }) => body['code'] === 'DocumentQuotaReached')).toHaveLength(5)
    expect(((await app.get('/portal/documents?lead_id=LEAD-Q-1', many)).body['documents'] as unknown[]).length).toBe(30)
  })

  it('F07: a loan accepts its quota of bytes', async () => {
    const { documents } = app.context.config
    const { quota } = documents
    onTestFinished(() => void (documents.quota = quota))
    const stored = async () => (await listed()).length
    const before = await stored()
    const content = pdf({ objects: '% of the last bytes' })
    const usage = await app.database.asSystem((sql) =>
      sql
        .selectFrom('documents')
        .innerJoin('loans', (join) =>
          join.onRef('loans.borrower_id', '=', 'documents.borrower_id').onRef('loans.loan_id', '=', 'documents.loan_id'),
        )
        .select(({ fn }) => fn.sum<string>('documents.size_bytes').as('bytes'))
        .where('loans.lan', '=', own.lan)
        .executeTakeFirstOrThrow(),
    )
    documents.quota = { ...quota, bytesMax: Number(usage.bytes) }
    await refuses({ content }, 409, 'DocumentQuotaReached')
    documents.quota = quota
    expect((await send({ content })).status).toBe(200)
    expect(await stored()).toBe(before + 1)
  })

  it('a slow body is 408 at the body timeout, and nothing of it remains', async () => {
    const { documents } = app.context.config
    const { uploadTimeoutMs } = documents
    documents.uploadTimeoutMs = 4_000
    onTestFinished(() => void (documents.uploadTimeoutMs = uploadTimeoutMs))
    const answer = await sendSlowly(app, token).answer
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('"code":"RequestTimeout"')
    expect(staged()).toEqual([])
  })

  it('a broken connection leaves nothing', async () => {
    const { socket } = sendSlowly(app, token)
    await until(() => staged().length > 0)
    socket.destroy()
    await until(() => staged().length === 0)
  })
})

/** Sends the start of a form and then single bytes, until the connection is closed. */
function sendSlowly({ url }: App, of: string): { socket: Socket; answer: Promise<string> } {
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
  const answer = new Promise<string>((resolve) => {
    let received = ''
    socket.write(
      `POST ${apiPrefix}/portal/upload-document HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${of}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 50000\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n%PDF-1.7`,
    )
    const slowly = setInterval(() => socket.write('x'), 100)
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(slowly)
      resolve(received)
    })
  })
  return { socket, answer }
}
