import { createHash } from 'node:crypto'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { declaredContentType, hasMatchingExtension, type DocumentContentType } from '#domain/documents.ts'
import { ExaminerUnavailable, type Examination, type Piece } from '../adapters/file-examiner/file-examiner.ts'
import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import { diskErrors, type StagedFile } from '../http/uploads.ts'
import { fileRefused } from './file-refusals.ts'

/** A staged file that may be stored. Its path contains the bytes to store. */
export type CheckedFile = { contentType: DocumentContentType; sizeBytes: number; sha256: Buffer }

/**
 * Checks that a staged file's content has its declared type, and strips the metadata of a picture.
 * Another process examines the content; this one only reads the first bytes and copies ranges.
 *
 * @param owner the borrower who owns the file.
 * @throws Failure FileEmpty, FileTypeUnsupported, FileRefused, ScannerUnavailable.
 */
export async function checkFile(
  { examiner, log }: Pick<Context, 'examiner' | 'log'>,
  owner: string,
  file: StagedFile,
): Promise<CheckedFile> {
  if (file.sizeBytes === 0) throw new Failure('FileEmpty', undefined, { field: 'file' })
  const contentType = checkDeclaredType(file)
  if (contentType === null || (await detectType(file.path)) !== contentType) throw unsupported()
  const examination = await examiner.examine({ path: file.path, contentType }, owner).catch((error: unknown): never => {
    if (!(error instanceof ExaminerUnavailable)) throw error
    log.error({ err: error }, 'file examination unavailable')
    throw new Failure('ScannerUnavailable', 'Files cannot be checked at the moment. Please try again later.')
  })
  return storePieces(file, contentType, examination)
}

/** The type that declaration and file name agree on; null if they differ or it is not supported. */
export function checkDeclaredType({ declaredType, filename }: StagedFile): DocumentContentType | null {
  const contentType = declaredContentType(declaredType)
  return contentType !== null && hasMatchingExtension(filename, contentType) ? contentType : null
}

async function storePieces(file: StagedFile, contentType: DocumentContentType, examination: Examination): Promise<CheckedFile> {
  if (examination.kind === 'refused') throw fileRefused(examination.reason)
  const { pieces } = examination
  if (pieces === null) return { contentType, sizeBytes: file.sizeBytes, sha256: file.sha256 }
  if (!areWithin(pieces, file.sizeBytes)) throw fileRefused('examination_failed')
  const rewrittenPath = `${file.path}.rewritten`
  try {
    return { contentType, ...(await rewrite(file.path, rewrittenPath, pieces)) }
  } catch (error) {
    await rm(rewrittenPath, { force: true })
    if (!diskErrors.has((error as NodeJS.ErrnoException).code)) throw error
    throw new Failure('StorageUnavailable', 'The file could not be stored. Please try again later.')
  }
}

/** Whether the ranges lie in the file, in order and without overlap. */
function areWithin(pieces: readonly Piece[], sizeBytes: number): boolean {
  let at = 0
  for (const piece of pieces) {
    if ('hex' in piece) continue
    if (piece.from < at || piece.to > sizeBytes) return false
    at = piece.to
  }
  return true
}

const copyBytes = 65_536

/** Writes the pieces to another file, which then replaces the first. */
async function rewrite(path: string, rewrittenPath: string, pieces: readonly Piece[]): Promise<{ sizeBytes: number; sha256: Buffer }> {
  await using source = await open(path, 'r')
  await using target = await open(rewrittenPath, 'w', 0o600)
  const digest = createHash('sha256')
  let sizeBytes = 0
  for (const piece of pieces) {
    for await (const chunk of chunksOf(source, piece)) {
      await target.writeFile(chunk)
      digest.update(chunk)
      sizeBytes += chunk.length
    }
  }
  await rename(rewrittenPath, path)
  return { sizeBytes, sha256: digest.digest() }
}

async function* chunksOf(source: FileHandle, piece: Piece): AsyncGenerator<Buffer> {
  if ('hex' in piece) return yield Buffer.from(piece.hex, 'hex')
  for (let at = piece.from; at < piece.to;) {
    const { buffer, bytesRead } = await source.read(Buffer.alloc(copyBytes), 0, Math.min(copyBytes, piece.to - at), at)
    if (bytesRead === 0) throw new Error('a staged file was truncated while it was copied')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

/** The type by the first bytes of the content. */
async function detectType(path: string): Promise<DocumentContentType | null> {
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
  const head = buffer.toString('latin1', 0, bytesRead)
  if (head.startsWith('%PDF-')) return 'application/pdf'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp'
  return head.startsWith('BM') ? 'image/bmp' : null
}

const unsupported = () => new Failure('FileTypeUnsupported', undefined, { field: 'file' })
