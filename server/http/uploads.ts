import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from './failure.ts'

/** A file as it arrived, in the staging directory; nothing of it has been believed or checked yet. */
export type StagedFile = {
  path: string
  /** As the sender calls it. Text only: it never becomes part of a path. */
  filename: string
  declaredType: string
  sizeBytes: number
  sha256: Buffer
}

export type UploadLimits = {
  /** Where files are kept while they arrive. */
  stagingDirectory: string
  fileBytesMax: number
  /** A body has to have arrived by then. */
  timeoutMs: number
}

export type Form = { fields: Record<string, unknown>; file: StagedFile; discard(): Promise<void> }

/** Of the parts around the file: boundaries, headers and text fields. */
const overheadBytesMax = 64 * 1024

/** Lets the calls of this scope take `multipart/form-data`; anywhere else such a body is of an unsupported type. */
export async function readForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, { throwFileSizeLimit: false })
}

/**
 * Streams a form's one file to the staging directory and reads its text fields; memory stays flat whatever is sent. The caller
 * calls `discard` when it is done with the file.
 *
 * @throws Failure InvalidRequest, FileTooLarge, RequestTimeout, UnsupportedMediaType, StorageUnavailable: nothing is left behind.
 */
export async function receiveForm(http: FastifyRequest, limits: UploadLimits): Promise<Form> {
  if (!http.isMultipart()) throw new Failure('UnsupportedMediaType', 'The body must be multipart/form-data.')
  if (Number(http.headers['content-length'] ?? 0) > limits.fileBytesMax + overheadBytesMax) throw tooLarge(limits)
  const path = join(limits.stagingDirectory, randomUUID())
  const arrival: Arrival = { path, limits, cut: new AbortController(), staged: Promise.resolve() }
  const { cut } = arrival
  const discard = async () => {
    // A file that is removed while it is being opened would be made after that.
    await arrival.staged.catch(() => {})
    await rm(path, { force: true })
  }
  const timer = setTimeout(() => cut.abort(tooSlow()), limits.timeoutMs)
  try {
    const { fields, file } = await Promise.race([readParts(http, arrival), failOn(cut.signal)])
    if (!file) throw new Failure('InvalidRequest', 'file is missing.', { field: 'file' })
    return { fields, file, discard }
  } catch (error) {
    // Nothing more is taken until the answer is out (linger.ts reads on then).
    http.raw.unpipe().pause()
    await discard()
    throw cut.signal.aborted ? cut.signal.reason : asFailure(error, limits)
  } finally {
    clearTimeout(timer)
  }
}

type Arrival = {
  path: string
  limits: UploadLimits
  /** Aborted with the failure that is the answer. */
  cut: AbortController
  /** Settles when nobody writes to `path`. */
  staged: Promise<unknown>
}

/** A body may come without its length, and the form's reader takes whatever stands around the parts. */
function cutAtLimit(http: FastifyRequest, { limits, cut }: Arrival): void {
  let bytes = 0
  http.raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.fileBytesMax + overheadBytesMax) cut.abort(tooLarge(limits))
  })
}

async function readParts(http: FastifyRequest, arrival: Arrival): Promise<{ fields: Record<string, unknown>; file: StagedFile | null }> {
  const { limits } = arrival
  const fields: Record<string, unknown> = Object.create(null)
  let file: StagedFile | null = null
  const parts = http.parts({
    limits: { fileSize: limits.fileBytesMax, files: 1, fields: 10, fieldSize: 1_000, fieldNameSize: 100, parts: 12, headerPairs: 20 },
  })
  cutAtLimit(http, arrival)
  for await (const part of parts) {
    if (part.type === 'file') {
      if (part.fieldname !== 'file') throw new Failure('InvalidRequest', 'The file must be in the field file.', { field: 'file' })
      const staged = stage(part.file, arrival)
      arrival.staged = staged
      file = { ...(await staged), filename: asWritten(part.filename ?? ''), declaredType: part.mimetype }
      if (part.file.truncated) throw tooLarge(limits)
    } else {
      // A field that comes twice is an array, which no contract accepts (decision 28).
      const earlier = fields[part.fieldname]
      fields[part.fieldname] = earlier === undefined ? part.value : [earlier, part.value].flat()
    }
  }
  return { fields, file }
}

async function stage(source: Readable, { path, limits, cut }: Arrival): Promise<Pick<StagedFile, 'path' | 'sizeBytes' | 'sha256'>> {
  // The form's reader would only cut the file, and take the rest of it for as long as it comes.
  source.once('limit', () => cut.abort(tooLarge(limits)))
  await mkdir(limits.stagingDirectory, { recursive: true, mode: 0o700 })
  cut.signal.throwIfAborted()
  const digest = createHash('sha256')
  let sizeBytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      digest.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(source, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: cut.signal })
  return { path, sizeBytes, sha256: digest.digest() }
}

/** Browsers write these three as escapes in a form's names, and only these. */
const asWritten = (filename: string): string => filename.replace(/%(22|0D|0A)/gi, (escape) => decodeURIComponent(escape))

const failOn = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const tooSlow = () => new Failure('RequestTimeout', 'The file took too long to arrive. Please try again.', { closesConnection: true })

function tooLarge({ fileBytesMax }: UploadLimits): Failure {
  return new Failure('FileTooLarge', `The file is too large. It may have ${megabytes(fileBytesMax)} MB at most.`, { field: 'file' })
}

const megabytes = (bytes: number) => String(Math.round((bytes / 1_048_576) * 10) / 10)

/** What the system says when a file cannot be written. */
export const diskErrors: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EMFILE'])

/** What the form's reader, the disk or the network said; a defect of ours stays what it is. */
function asFailure(error: unknown, limits: UploadLimits): unknown {
  if (error instanceof Failure) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (diskErrors.has(code)) return new Failure('StorageUnavailable', 'The file could not be stored. Please try again later.')
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge(limits)
  if (code === 'FST_FILES_LIMIT') return new Failure('InvalidRequest', 'There must be one file only.', { field: 'file' })
  if (code.startsWith('FST_')) return new Failure('InvalidRequest', 'The form has too many fields, or one that is too long.')
  if (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ECONNRESET' ||
    code === 'ABORT_ERR' ||
    /^(Unexpected end|Malformed|Part terminated|Multipart)/i.test(message)
  )
    return new Failure('InvalidRequest', 'The form could not be read: it is broken off or malformed.')
  return error
}

/** Removes what a crash left in the staging directory. @returns how many files. */
export async function sweepStaging(directory: string, ageMsMin: number): Promise<number> {
  let removed = 0
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (Date.now() - mtimeMs < ageMsMin) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}
