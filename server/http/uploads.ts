import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from './failure.ts'

/** An uploaded file in the staging directory, not checked yet. */
export type StagedFile = {
  path: string
  /** The sender's name for the file. It never becomes part of a path. */
  filename: string
  declaredType: string
  sizeBytes: number
  sha256: Buffer
}

type UploadLimits = {
  /** Where uploads are written while they arrive. */
  stagingDirectory: string
  fileBytesMax: number
  /** The time within which a body must arrive. */
  uploadTimeoutMs: number
}

type Form = { fields: Record<string, unknown>; file: StagedFile; discard(): Promise<void> }

/** Allowance for boundaries, headers and text fields around the file. */
const overheadBytesMax = 64 * 1024

/** Accepts `multipart/form-data` in this scope; elsewhere such a body has an unsupported type. */
export async function readForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, { throwFileSizeLimit: false })
}

/**
 * Streams a form's file to the staging directory in constant memory and reads its text fields. The
 * caller calls `discard` when it is done with the file.
 *
 * @throws Failure InvalidRequest, FileTooLarge, RequestTimeout, UnsupportedMediaType,
 * StorageUnavailable; no file is left behind.
 */
export async function receiveForm(http: FastifyRequest, limits: UploadLimits): Promise<Form> {
  if (!http.isMultipart()) throw new Failure('UnsupportedMediaType', 'The body must be multipart/form-data.')
  if (Number(http.headers['content-length'] ?? 0) > limits.fileBytesMax + overheadBytesMax) throw tooLarge(limits)
  const path = join(limits.stagingDirectory, randomUUID())
  const upload: Upload = { path, limits, controller: new AbortController(), staged: Promise.resolve() }
  const { controller } = upload
  const discard = async () => {
    // Waits for the writer: a file removed while it is being opened would be created afterwards.
    await upload.staged.catch(() => {})
    await rm(path, { force: true })
  }
  const timer = setTimeout(() => controller.abort(tooSlow()), limits.uploadTimeoutMs)
  try {
    const { fields, file } = await Promise.race([readParts(http, upload), failOn(controller.signal)])
    if (!file) throw new Failure('InvalidRequest', 'file is missing.', { field: 'file' })
    return { fields, file, discard }
  } catch (error) {
    // Stops reading until the answer is sent; drain-request.ts then reads the rest.
    http.raw.unpipe().pause()
    await discard()
    throw controller.signal.aborted ? controller.signal.reason : asFailure(error, limits)
  } finally {
    clearTimeout(timer)
  }
}

type Upload = {
  path: string
  limits: UploadLimits
  /** Aborts the upload; the reason is the failure to answer. */
  controller: AbortController
  /** Settles when writing to `path` has ended. */
  staged: Promise<unknown>
}

/**
 * Counts all bytes: a body may have no length, and the multipart reader accepts any bytes around
 * the parts.
 */
function abortAtLimit(http: FastifyRequest, { limits, controller }: Upload): void {
  let bytes = 0
  http.raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.fileBytesMax + overheadBytesMax) controller.abort(tooLarge(limits))
  })
}

async function readParts(http: FastifyRequest, upload: Upload): Promise<{ fields: Record<string, unknown>; file: StagedFile | null }> {
  const { limits } = upload
  const fields: Record<string, unknown> = Object.create(null)
  let file: StagedFile | null = null
  const parts = http.parts({
    limits: { fileSize: limits.fileBytesMax, files: 1, fields: 10, fieldSize: 1_000, fieldNameSize: 100, parts: 12, headerPairs: 20 },
  })
  abortAtLimit(http, upload)
  for await (const part of parts) {
    if (part.type === 'file') {
      if (part.fieldname !== 'file') throw new Failure('InvalidRequest', 'The file must be in the field file.', { field: 'file' })
      const staged = stage(part.file, upload)
      upload.staged = staged
      file = { ...(await staged), filename: unescapeFilename(part.filename ?? ''), declaredType: part.mimetype }
      if (part.file.truncated) throw tooLarge(limits)
    } else {
      // A repeated field becomes an array, which no contract accepts (decision 28).
      const earlier = fields[part.fieldname]
      fields[part.fieldname] = earlier === undefined ? part.value : [earlier, part.value].flat()
    }
  }
  return { fields, file }
}

async function stage(source: Readable, { path, limits, controller }: Upload): Promise<Pick<StagedFile, 'path' | 'sizeBytes' | 'sha256'>> {
  // The multipart reader would only truncate the file and read the rest without a limit.
  source.once('limit', () => controller.abort(tooLarge(limits)))
  await mkdir(limits.stagingDirectory, { recursive: true, mode: 0o700 })
  controller.signal.throwIfAborted()
  const digest = createHash('sha256')
  let sizeBytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      digest.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(source, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: controller.signal })
  return { path, sizeBytes, sha256: digest.digest() }
}

/** Browsers escape only these three characters in file names. */
const unescapeFilename = (filename: string): string => filename.replace(/%(22|0D|0A)/gi, (escape) => decodeURIComponent(escape))

const failOn = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const tooSlow = () => new Failure('RequestTimeout', 'The file took too long to arrive. Please try again.', { closesConnection: true })

function tooLarge({ fileBytesMax }: UploadLimits): Failure {
  return new Failure('FileTooLarge', `The file is too large. The limit is ${megabytes(fileBytesMax)} MB.`, { field: 'file' })
}

const megabytes = (bytes: number) => String(Math.round((bytes / 1_048_576) * 10) / 10)

/** Error codes of a file that cannot be written. */
export const diskErrors: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EMFILE'])

/**
 * Maps errors of the multipart reader, the disk and the network to a Failure; other errors are
 * defects.
 */
function asFailure(error: unknown, limits: UploadLimits): unknown {
  if (error instanceof Failure) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (diskErrors.has(code)) return new Failure('StorageUnavailable', 'The file could not be stored. Please try again later.')
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge(limits)
  if (code === 'FST_FILES_LIMIT') return new Failure('InvalidRequest', 'The form must have only one file.', { field: 'file' })
  if (code.startsWith('FST_')) return new Failure('InvalidRequest', 'The form has too many fields, or one that is too long.')
  if (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ECONNRESET' ||
    code === 'ABORT_ERR' ||
    /^(Unexpected end|Malformed|Part terminated|Multipart)/i.test(message)
  )
    return new Failure('InvalidRequest', 'The form could not be read: it is incomplete or malformed.')
  return error
}

/**
 * Removes files that a crash left in the staging directory.
 *
 * @returns the number of removed files.
 */
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
