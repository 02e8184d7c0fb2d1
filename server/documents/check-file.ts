import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { declaredContentType, nameFits, type DocumentContentType } from '#domain/documents.ts'
import { Failure } from '../http/failure.ts'
import type { StagedFile } from '../http/uploads.ts'
import { DamagedImage, readImage } from './image-bytes.ts'
import { pdfFault, type PdfFault } from './pdf-bytes.ts'

/** A staged file that may be stored: its bytes now stand as they are kept. */
export type CheckedFile = { contentType: DocumentContentType; sizeBytes: number; sha256: Buffer }

/** A picture larger than this opens on no phone; a sheet at 600 dots an inch has 35 million. */
const pixelsMax = 80_000_000
const sideMax = 30_000

/** So many files are held in memory at once; the others wait on disk. */
const atOnce = 4
let running = 0
const queue: (() => void)[] = []

/**
 * Makes sure that a staged file is what its sender says, by its content, and rewrites an image without what the camera noted.
 *
 * @throws Failure FileEmpty, FileTypeUnsupported, FileRefused.
 */
export async function checkFile(file: StagedFile): Promise<CheckedFile> {
  if (file.sizeBytes === 0) throw new Failure('FileEmpty', undefined, { field: 'file' })
  const contentType = typeAsDeclared(file)
  if (contentType === null) throw unsupported()
  if (running >= atOnce) await new Promise<void>((resolve) => queue.push(resolve))
  else running += 1
  try {
    return await checkBytes(file, contentType)
  } finally {
    // The place goes to the next in line, or becomes free.
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}

/** The type that both the declaration and the name allow; null when they disagree or it is none of ours. */
export function typeAsDeclared({ declaredType, filename }: StagedFile): DocumentContentType | null {
  const contentType = declaredContentType(declaredType)
  return contentType !== null && nameFits(filename, contentType) ? contentType : null
}

async function checkBytes(file: StagedFile, contentType: DocumentContentType): Promise<CheckedFile> {
  const bytes = await readFile(file.path)
  if (sniffed(bytes) !== contentType) throw unsupported()
  if (contentType === 'application/pdf') {
    const fault = pdfFault(bytes)
    if (fault !== null) throw refused(pdfRefusals[fault])
    return { contentType, sizeBytes: file.sizeBytes, sha256: file.sha256 }
  }
  const clean = cleanImage(contentType, bytes)
  await writeFile(file.path, clean, { flush: false })
  return { contentType, sizeBytes: clean.length, sha256: createHash('sha256').update(clean).digest() }
}

function cleanImage(contentType: Exclude<DocumentContentType, 'application/pdf'>, bytes: Buffer): Buffer {
  try {
    const image = readImage(contentType, bytes)
    if (image.width === 0 || image.height === 0) throw refused('The picture is damaged.')
    if (image.width > sideMax || image.height > sideMax || image.width * image.height > pixelsMax)
      throw refused('The picture has too many points. Please make it smaller.')
    return image.bytes
  } catch (error) {
    if (error instanceof DamagedImage) throw refused('The picture is damaged.')
    throw error
  }
}

/** The type that the first bytes say. */
function sniffed(bytes: Buffer): DocumentContentType | null {
  const head = bytes.toString('latin1', 0, 16)
  if (head.startsWith('%PDF-')) return 'application/pdf'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp'
  return head.startsWith('BM') ? 'image/bmp' : null
}

const pdfRefusals: Readonly<Record<PdfFault, string>> = {
  damaged: 'The PDF is damaged.',
  trailing_bytes: 'The PDF has something else behind its end.',
  protected: 'The PDF is protected by a password. Please upload it without one.',
  active_content: 'The PDF has scripts, forms that send, or files in it. Please print it to a new PDF and upload that.',
  unpacks_too_large: 'The PDF unpacks to far more than its size.',
  unreadable_part: 'A part of the PDF cannot be read. Please print it to a new PDF and upload that.',
}

const unsupported = () => new Failure('FileTypeUnsupported', undefined, { field: 'file' })
const refused = (detail: string) => new Failure('FileRefused', detail, { field: 'file' })
