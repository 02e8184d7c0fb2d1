import { crc32, deflateSync } from 'node:zlib'
import { apiPrefix } from '#contract/endpoint.ts'
import type { HostileCourse, HostileParser } from './hostile-inputs.ts'

/** Hostile PDFs and pictures in a complete form, so that they reach the examination. */

const fileBytesMax = 10_485_760

type Shape = (bytes: number) => Buffer

const filled =
  (unit: string | Buffer, start: string | Buffer = '', end: string | Buffer = ''): Shape =>
  (bytes) => {
    const [head, middle, tail] = [start, unit, end].map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)) as [
      Buffer,
      Buffer,
      Buffer,
    ]
    const length = Math.max(0, bytes - head.length - tail.length)
    return Buffer.concat([head, Buffer.alloc(length - (length % middle.length), middle), tail])
  }

const pdfStart = '%PDF-1.7\n1 0 obj\n'
const pdfEnd = '\nstartxref\n0\n%%EOF'
const inPdf = (unit: string, start = '', end = ''): Shape => filled(unit, pdfStart + start, end + pdfEnd)

/** An object stream of zeros, compressed by a factor of a thousand. */
function unpackingMuch(bytes: number): Buffer {
  const packed = deflateSync(Buffer.alloc(Math.min(bytes * 900, 70_000_000)))
  const head = `${pdfStart.slice(0, -8)}1 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`
  return filled(' ', Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream endobj')]), pdfEnd)(bytes)
}

export const hostilePdf: HostileParser = {
  name: 'PDF',
  bytesMax: fileBytesMax,
  shapes: {
    'the word stream, again and again': inPdf('stream\n'),
    digits: filled('1', '%PDF-1.7\n', pdfEnd),
    'a filter without end': inPdf('/Filter[', '<< '),
    'object headers': inPdf('1 0 obj '),
    'words that nearly are object headers': inPdf('0 obj '),
    'nested brackets': inPdf('['),
    'nested parentheses': inPdf('('),
    'comments that hide objects': inPdf('%\n0 obj '),
    'a table': inPdf('0000000000 65535 f \n', 'null endobj xref\n0 9999999\n'),
    'beginnings of files': inPdf('%PDF-1.7\n'),
    'one stream': inPdf('\x80', '<< >>\nstream\n', '\nendstream endobj'),
    'object streams that unpack to much': unpackingMuch,
    'blanks at the end': filled(' ', `${pdfStart}null endobj${pdfEnd}`),
  },
  request: (input, suiteRun) => formOf(suiteRun, input, 'application/pdf'),
}

const segment = (marker: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([0xff, marker, 0, content.length + 2]), content])
const jpegHead = Buffer.concat([
  Buffer.from([0xff, 0xd8]),
  segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
  segment(0xc2, Buffer.from([8, 0, 8, 0, 8, 1, 1, 0x11, 0])),
  segment(0xc4, Buffer.from([0, 1, ...Array<number>(15).fill(0), 0])),
])
const jpegScan = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])), Buffer.from([0x7f])])
const jpegEnd = Buffer.from([0xff, 0xd9])

const pngChunk = (type: string, content: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const pngHead = (width: number, height: number): Buffer => {
  const content = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  content.writeUInt32BE(width, 0)
  content.writeUInt32BE(height, 4)
  return Buffer.concat([pngSignature, pngChunk('IHDR', content)])
}
const pngEnd = pngChunk('IEND', Buffer.alloc(0))

const riff =
  (first: string, unit: Buffer): Shape =>
  (bytes) => {
    const file = filled(unit, Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), Buffer.from(first, 'latin1')]))(bytes)
    file.writeUInt32LE(Math.max(4, file.length - 8), 4)
    return file
  }
const emptyChunk = Buffer.from('JUNK\0\0\0\0', 'latin1')

export const hostileImages: HostileParser = {
  name: 'images',
  bytesMax: fileBytesMax,
  shapes: {
    'jpeg: marker bytes': filled(Buffer.from([0xff]), Buffer.from([0xff, 0xd8])),
    'jpeg: empty segments': filled(Buffer.from([0xff, 0xe0, 0, 2]), Buffer.from([0xff, 0xd8]), jpegEnd),
    'jpeg: one picture of many scans': filled(jpegScan, jpegHead, jpegEnd),
    'jpeg: restart markers': filled(Buffer.from([0xff, 0xd0]), Buffer.concat([jpegHead, jpegScan]), jpegEnd),
    'jpeg: one endless scan': filled(Buffer.from([0]), Buffer.concat([jpegHead, jpegScan])),
    'png: empty chunks': filled(pngChunk('tEXt', Buffer.alloc(0)), pngHead(8, 8), pngEnd),
    'png: kept chunks between others': filled(
      Buffer.concat([pngChunk('tEXt', Buffer.alloc(0)), pngChunk('IDAT', Buffer.alloc(0))]),
      pngHead(8, 8),
      pngEnd,
    ),
    'png: empty picture data': filled(pngChunk('IDAT', Buffer.alloc(0)), pngHead(5_000, 5_000), pngEnd),
    'png: more data than pixels': (bytes) =>
      filled(Buffer.from([0]), Buffer.concat([pngHead(8, 8), pngChunk('IDAT', deflateSync(Buffer.alloc(bytes)))]), pngEnd)(bytes),
    'webp: empty chunks': riff('', emptyChunk),
    'webp: a lossless picture of zeros': riff('VP8L\xff\xff\x0f\0\x2f\0\0\0\0', Buffer.from([0])),
    'webp: a picture of ones': riff('VP8 \xff\xff\x0f\0\x10\0\0\x9d\x01\x2a\0\x10\0\x10', Buffer.from([0xff])),
    'bmp: zeros': filled(Buffer.from([0]), 'BM'),
  },
  request: (input, suiteRun, shape) => formOf(suiteRun, input, `image/${shape.split(':')[0] ?? ''}`),
}

/** A complete upload for the borrower's loan, the file last. */
function formOf({ borrower }: HostileCourse, file: Buffer, type: string): Buffer {
  const boundary = 'kist-boundary-0123456789'
  const field = (name: string, value: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const fields = { document_type: 'Others', lead_id: borrower.lan.replace('KST', 'LEAD'), lan: borrower.lan }
  const body = Buffer.concat([
    Buffer.from(
      Object.entries(fields)
        .map(([name, value]) => field(name, value))
        .join(''),
    ),
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: ${type}\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const head = [
    `POST ${apiPrefix}/portal/upload-document HTTP/1.1`,
    'Host: localhost:3000',
    `Authorization: Bearer ${borrower.token}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(head.join('\r\n')), body])
}
