import type { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A file as an answer. Its headers stop a browser from running any of it. */
export type FileAnswer = {
  filename: string
  contentType: string
  sizeBytes: number
  sha256: Buffer
  /** Opens the bytes from `first` to `last`, both included. */
  open(range: ByteRange): Promise<Readable>
}

type ByteRange = { first: number; last: number }

/** Sends a file, or the requested range of it (RFC 9110 §14). */
export async function sendFile(http: FastifyRequest, reply: FastifyReply, file: FileAnswer): Promise<FastifyReply> {
  const etag = `"${file.sha256.toString('hex')}"`
  reply.headers({
    'content-type': file.contentType,
    'content-disposition': contentDisposition(file.filename.toWellFormed()),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'accept-ranges': 'bytes',
    etag,
  })
  const ifRange = http.headers['if-range']
  const rangeHeader = ifRange === undefined || ifRange === etag ? http.headers.range : undefined
  const range = parseRange(rangeHeader, file.sizeBytes)
  if (range === 'unsatisfiable')
    return reply.code(416).header('content-range', `bytes */${file.sizeBytes}`).header('content-type', 'text/plain; charset=utf-8').send('')
  const { first, last } = range ?? { first: 0, last: file.sizeBytes - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${first}-${last}/${file.sizeBytes}`)
  return reply.header('content-length', last - first + 1).send(await file.open({ first, last }))
}

/**
 * Parses one byte range. Null for no range, several ranges or a malformed one: the whole file is
 * sent.
 */
function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '')
  const [, from = '', to = ''] = match ?? []
  if (!match || (from === '' && to === '')) return null
  if (from === '') return Number(to) === 0 ? 'unsatisfiable' : { first: Math.max(0, size - Number(to)), last: size - 1 }
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < Number(from)) return null
  return Number(from) >= size ? 'unsatisfiable' : { first: Number(from), last }
}
