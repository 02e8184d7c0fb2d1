import type { FileRefusalReason } from '#domain/documents.ts'
import type { Examination } from './file-examiner.ts'
import { countObjectHeaders } from './pdf-headers.ts'
import { emptyListing, listPdf, type PdfListing } from './pdf-objects.ts'

/**
 * Accepts a PDF if every object can be read and none runs code, fetches or sends data, or embeds a
 * file.
 */
export async function examinePdf(bytes: Buffer): Promise<Examination> {
  const reason = findHeaderOrEndFault(bytes) ?? (await findContentFault(bytes))
  return reason === null ? { kind: 'accepted', pieces: null } : { kind: 'refused', reason }
}

function findHeaderOrEndFault(bytes: Buffer): FileRefusalReason | null {
  if (!/^%PDF-[12]\.\d/.test(bytes.toString('latin1', 0, 8))) return 'pdf_damaged'
  const end = bytes.lastIndexOf('%%EOF')
  if (end === -1 || !bytes.includes('startxref')) return 'pdf_damaged'
  if (/[^\s\0]/.test(bytes.toString('latin1', end + 5))) return 'pdf_trailing_bytes'
  return null
}

async function findContentFault(bytes: Buffer): Promise<FileRefusalReason | null> {
  const headers = countObjectHeaders(bytes)
  if (headers === 0) return 'pdf_damaged'
  if (headers === null) return bytes.includes('/Encrypt') ? 'pdf_encrypted' : 'pdf_unreadable_part'
  const listing = emptyListing()
  // Any error means that the parser could not read the whole file.
  const isComplete = await listPdf(bytes, listing).then(
    () => true,
    () => false,
  )
  const forbidden = forbiddenContent(listing)
  if (forbidden !== null) return forbidden
  if (listing.unpacksTooLarge) return 'pdf_unpacks_too_large'
  // The object streams of an encrypted file are unreadable, and the trailer that declares the
  // encryption follows them.
  if (!isComplete) return bytes.includes('/Encrypt') ? 'pdf_encrypted' : 'pdf_unreadable_part'
  // An object header that the parser did not count lies inside a stream, string or comment. A
  // cross-reference table can make readers find an object there.
  return headers === listing.objects ? null : 'pdf_unreadable_part'
}

const forbiddenNames: readonly (readonly [FileRefusalReason, readonly string[]])[] = [
  ['pdf_javascript', ['JavaScript']],
  ['pdf_launch', ['Launch']],
  ['pdf_remote_file', ['GoToR']],
  ['pdf_goto_embedded', ['GoToE']],
  ['pdf_submit_form', ['SubmitForm']],
  ['pdf_import_data', ['ImportData']],
  ['pdf_rich_media', ['RichMedia', 'RichMediaExecute', 'Rendition', 'Sound', 'Movie', '3D']],
  ['pdf_embedded_files', ['EmbeddedFile', 'EmbeddedFiles', 'FileAttachment']],
]

function forbiddenContent({ names, keys }: PdfListing): FileRefusalReason | null {
  if (keys.has('Encrypt')) return 'pdf_encrypted'
  for (const [reason, forbidden] of forbiddenNames) if (forbidden.some((name) => names.has(name))) return reason
  // A file specification embeds a file under this key; the types above are optional there.
  if (keys.has('EF')) return 'pdf_embedded_files'
  return keys.has('XFA') ? 'pdf_xfa_form' : null
}
