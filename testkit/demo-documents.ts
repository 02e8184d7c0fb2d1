import { createHash, randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { uuidv7 } from 'uuidv7'
import type { DocumentContentType, UploadedDocumentType } from '#domain/documents.ts'
import type { ObjectStorage } from '#server/adapters/object-storage/object-storage.ts'
import type { Database } from '#server/database/connect.ts'
import { insertDocument } from '#server/documents/document-store.ts'
import type { AddedLoan } from './builders.ts'

type DemoDocument = {
  filename: string
  documentType: UploadedDocumentType
  contentType: DocumentContentType
  content: Buffer
  daysAgo: number
}

const demoDocuments = (): DemoDocument[] => [
  {
    filename: 'Marksheet semester 3.pdf',
    documentType: 'Transcript',
    contentType: 'application/pdf',
    content: drawPage('Marksheet, semester 3'),
    daysAgo: 210,
  },
  {
    filename: 'Fee receipt 2026.pdf',
    documentType: 'Others',
    contentType: 'application/pdf',
    content: drawPage('Fee receipt, 2026'),
    daysAgo: 95,
  },
  { filename: 'Marksheet semester 4.png', documentType: 'Transcript', contentType: 'image/png', content: picture(420, 594), daysAgo: 20 },
]

/** Documents that a borrower of the demo uploaded, with their bytes. */
export async function addDemoDocuments(
  database: Database,
  storage: ObjectStorage,
  { borrowerId, loanId }: AddedLoan,
  now: Date,
): Promise<void> {
  for (const { filename, documentType, contentType, content, daysAgo } of demoDocuments()) {
    const documentId = uuidv7()
    const sha256 = createHash('sha256').update(content).digest()
    const storageKey = `documents/${borrowerId}/${loanId}/${documentId}-${sha256.toString('hex')}`
    const createdAt = new Date(now.getTime() - daysAgo * 86_400_000)
    await putBytes(storage, storageKey, content)
    await database.asBorrower(borrowerId, async (sql) => {
      await insertDocument(sql, {
        borrower_id: borrowerId,
        loan_id: loanId,
        document_id: documentId,
        document_type: documentType,
        filename,
        content_type: contentType,
        size_bytes: BigInt(content.length),
        sha256,
        upload_sha256: sha256,
        storage_key: storageKey,
        created_at: createdAt,
        created_by: borrowerId,
      })
    })
  }
}

async function putBytes(storage: ObjectStorage, key: string, content: Buffer): Promise<void> {
  const path = join(tmpdir(), `kist-demo-${randomUUID()}`)
  writeFileSync(path, content, { mode: 0o600 })
  await storage.put(key, path).finally(() => rmSync(path))
}

/** One page with a line on it. */
export function drawPage(line: string): Buffer {
  const drawn = `BT /F1 20 Tf 60 760 Td (${line}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

/** A grey picture of a page with lines. */
function picture(width: number, height: number): Buffer {
  const rows = Buffer.alloc((width + 1) * height, 245)
  for (let y = 0; y < height; y += 1) {
    const start = y * (width + 1)
    rows[start] = 0
    if (y > 60 && y < height - 40 && y % 18 < 3) rows.fill(90, start + 40, start + width - 30 - ((y * 7) % 120))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.writeUInt8(8, 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
