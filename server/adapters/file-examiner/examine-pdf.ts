import type { FileRefusalReason } from '#domain/documents.ts'
import type { Examination } from './file-examiner.ts'
import { countObjectHeaders } from './pdf-headers.ts'
import { emptyListing, listPdf, type PdfListing } from './pdf-objects.ts'

/** Whether a PDF may be stored: every object of it was read, and none acts, fetches, sends, or carries a file. */
export async function examinePdf(bytes: Buffer): Promise<Examination> {
  const reason = envelopeFault(bytes) ?? (await contentFault(bytes))
  return reason === null ? { kind: 'accepted', pieces: null } : { kind: 'refused', reason }
}

function envelopeFault(bytes: Buffer): FileRefusalReason | null {
  if (!/^%PDF-[12]\.\d/.test(bytes.toString('latin1', 0, 8))) return 'pdf_damaged'
  const end = bytes.lastIndexOf('%%EOF')
  if (end === -1 || !bytes.includes('startxref')) return 'pdf_damaged'
  if (/[^\s\0]/.test(bytes.toString('latin1', end + 5))) return 'pdf_trailing_bytes'
  return null
}

async function contentFault(bytes: Buffer): Promise<FileRefusalReason | null> {
  const headers = countObjectHeaders(bytes)
  if (headers === 0) return 'pdf_damaged'
  if (headers === null) return bytes.includes('/Encrypt') ? 'pdf_encrypted' : 'pdf_unreadable_part'
  const listing = emptyListing()
  // Whatever the parser throws, it could not read all of the file.
  const isWhole = await listPdf(bytes, listing).then(
    () => true,
    () => false,
  )
  const forbidden = forbiddenContent(listing)
  if (forbidden !== null) return forbidden
  if (listing.unpacksTooLarge) return 'pdf_unpacks_too_large'
  // Object streams of an encrypted file cannot be read, and the trailer that says so comes after them.
  if (!isWhole) return bytes.includes('/Encrypt') ? 'pdf_encrypted' : 'pdf_unreadable_part'
  // An object header that the parser did not take for one stands inside a stream, a string or a comment: a cross-reference table
  // can make readers find an object there.
  return headers === listing.objects ? null : 'pdf_unreadable_part'
}

const forbiddenNames: readonly (readonly [FileRefusalReason, readonly string[]])[] = [
  ['pdf_javascript', ['JavaScript']],
  ['pdf_launch', ['Launch']],
  ['pdf_remote_file', ['GoToR']],
  ['pdf_goto_embedded', ['GoToE']],
  ['pdf_submit_form', ['SubmitForm']],
  ['pdf_import_data', ['ImportData']],
  ['pdf_rich_media', ['RichMedia', 'RichMediaExecute', 'Rendition', '3D']],
  ['pdf_embedded_files', ['EmbeddedFile', 'EmbeddedFiles', 'FileAttachment']],
]

function forbiddenContent({ names, keys }: PdfListing): FileRefusalReason | null {
  if (keys.has('Encrypt')) return 'pdf_encrypted'
  for (const [reason, forbidden] of forbiddenNames) if (forbidden.some((name) => names.has(name))) return reason
  // A file specification carries a file under this key; the types above are optional there.
  if (keys.has('EF')) return 'pdf_embedded_files'
  return keys.has('XFA') ? 'pdf_xfa_form' : null
}
