import { crc32, deflateSync } from 'node:zlib'
import { apiPrefix } from '#contract/endpoint.ts'
import type { App } from '#testkit/start-app.ts'

/** Test files: the smallest valid ones, and invalid ones that look valid. */

const pngChunk = (type: string, content: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** A grey PNG; `width` and `height` may be larger than its data. */
export function png({ width = 2, height = 2, chunks = [] as Buffer[], trailing = '' } = {}): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.writeUInt8(8, 8)
  const rows = deflateSync(Buffer.alloc(2 * 3))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', head),
    ...chunks,
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
    Buffer.from(trailing),
  ])
}

export const pngText = (text: string): Buffer => pngChunk('tEXt', Buffer.from(`Comment\0${text}`, 'latin1'))

const segment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** Big-endian EXIF with an orientation and a GPS position. */
export function exif(orientation: number, place: string): Buffer {
  const tiff = Buffer.from('4d4d002a000000080001011200030000000100000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from(`\0\0\0\0GPS ${place}`)]))
}

/** A grey JPEG: each block of 8 by 8 pixels is two bits, "no difference" and "end of block". */
export function jpeg({ notes = [] as Buffer[], trailing = '', width = 16, height = 16 } = {}): Buffer {
  const bits = Math.ceil(width / 8) * Math.ceil(height / 8) * 2
  const blocks = Buffer.alloc(Math.ceil(bits / 8))
  if (bits % 8 > 0) blocks[blocks.length - 1] = (1 << (8 - (bits % 8))) - 1
  const oneCode = (table: number) => segment(0xc4, Buffer.from([table, 1, ...Array<number>(15).fill(0), 0]))
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...notes,
    segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
    segment(0xc0, frame),
    oneCode(0x00),
    oneCode(0x10),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    blocks,
    Buffer.from([0xff, 0xd9]),
    Buffer.from(trailing),
  ])
}

const chunk = (type: string, content: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), length, content, Buffer.alloc(content.length % 2)])
}

export function webp({ exifText = '' } = {}): Buffer {
  const extended = Buffer.alloc(10)
  extended.writeUInt8(exifText ? 0x08 : 0, 0)
  extended.writeUIntLE(15, 4, 3)
  extended.writeUIntLE(15, 7, 3)
  const body = Buffer.concat([
    chunk('VP8X', extended),
    // Lossless, 16 by 16 pixels; every colour is a code of one symbol.
    chunk('VP8L', Buffer.from([0x2f, 0x0f, 0xc0, 0x03, 0x00, 0x88, 0x88, 0x08])),
    ...(exifText ? [chunk('EXIF', Buffer.from(exifText))] : []),
  ])
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(body.length + 4, 4)
  return Buffer.concat([head, body])
}

export function bmp({ trailing = '' } = {}): Buffer {
  const head = Buffer.alloc(54)
  head.write('BM', 0, 'latin1')
  head.writeUInt32LE(54 + 16, 2)
  head.writeUInt32LE(54, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(2, 18)
  head.writeInt32LE(2, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(24, 28)
  return Buffer.concat([head, Buffer.alloc(16, 9), Buffer.from(trailing)])
}

/** A PDF with one empty page; `objects` follow it, `trailer` is added to the trailer. */
export function pdf({ objects = '' as string | Buffer, trailer = '', trailing = '' } = {}): Buffer {
  return Buffer.concat([
    Buffer.from(
      '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>\nendobj\n',
    ),
    Buffer.from(objects),
    Buffer.from(`\ntrailer\n<< /Root 1 0 R ${trailer} >>\nstartxref\n0\n%%EOF\n${trailing}`),
  ])
}

/** An object stream with the strongest compression. */
export function packedPart(content: Buffer, filter = '/FlateDecode'): Buffer {
  const packed = deflateSync(content, { level: 9 })
  return Buffer.concat([
    Buffer.from(`9 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter ${filter} /Length ${packed.length} >>\nstream\n`),
    packed,
    Buffer.from('\nendstream\nendobj'),
  ])
}

export type Upload = {
  content: Buffer
  filename?: string
  type?: string
  fields?: Record<string, string>
  field?: string
}

export async function upload(
  app: App,
  token: string,
  { content, filename = 'paper.pdf', type = 'application/pdf', fields = {}, field = 'file' }: Upload,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append(field, new Blob([new Uint8Array(content)], { type }), filename)
  const response = await fetch(`${app.url}${apiPrefix}/portal/upload-document`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export const fetchFile = (app: App, path: string, token?: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${app.url}${path.startsWith('/api') ? '' : apiPrefix}${path}`, {
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
  })
