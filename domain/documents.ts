import type { LoanStatus } from './loans.ts'

/** What an uploaded file may be of, as the borrower says (spec §5). */
export const uploadedDocumentTypes = ['Transcript', 'Others'] as const
export type UploadedDocumentType = (typeof uploadedDocumentTypes)[number]

/** The types of file that may be uploaded (spec §5), each with the endings its name may have; the first is the usual one. */
export const documentContentTypes = {
  'application/pdf': ['pdf'],
  'image/bmp': ['bmp', 'dib'],
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png'],
  'image/webp': ['webp'],
} as const satisfies Record<string, readonly string[]>
export type DocumentContentType = keyof typeof documentContentTypes

/** Other names under which browsers declare the same types. */
const contentTypeAliases: Readonly<Record<string, DocumentContentType>> = {
  'application/x-pdf': 'application/pdf',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-bmp': 'image/bmp',
}

/** The type that a declaration such as `image/jpg; q=1` means; null when none of ours. */
export function declaredContentType(declared: string): DocumentContentType | null {
  const name = (declared.split(';')[0] ?? '').trim().toLowerCase()
  if (name in documentContentTypes) return name as DocumentContentType
  return contentTypeAliases[name] ?? null
}

/** Whether a file's name may stand for the type: it has no ending, or one of the type's. */
export function hasMatchingExtension(filename: string, contentType: DocumentContentType): boolean {
  const ending = /\.([^.]*)$/.exec(filename)?.[1]
  if (ending === undefined) return true
  return (documentContentTypes[contentType] as readonly string[]).includes(ending.trim().toLowerCase())
}

const filenameLengthMax = 150
/** Control characters, what turns the direction of writing, and halves of characters. */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/**
 * A file's name as it is kept and shown: text only. Folders are cut off, unseen characters and those that turn writing around
 * removed, what no file system takes replaced, and what is too long shortened before its ending.
 */
export function safeFilename(given: string, contentType: DocumentContentType): string {
  const base = given.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const clean = base
    .replace(invisibleCharacters, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/[. ]+$/, '')
  const [usual] = documentContentTypes[contentType]
  const ending = /\.([^. ]{1,5})$/.exec(clean)?.[1] ?? usual
  const stem = clean.endsWith(`.${ending}`) ? clean.slice(0, -ending.length - 1) : clean
  const short = [...stem.replace(/^[. ]+/, '')].slice(0, filenameLengthMax).join('').trimEnd() || 'document'
  return `${short}.${ending}`
}

/** The documents we write (spec §5, decision 41). The first four are the specification's. */
export const generatedDocumentTypes = [
  'sanction_letter',
  'loan_agreement',
  'statement_of_account',
  'loan_closure_certificate',
  'interest_certificate',
  'repayment_schedule',
  'payoff_letter',
  'payment_receipt',
] as const
export type GeneratedDocumentType = (typeof generatedDocumentTypes)[number]

export const documentLanguages = ['en', 'hi'] as const
export type DocumentLanguage = (typeof documentLanguages)[number]

/** Why a document is not to be had: its kind is not issued here, or not in the loan's state. */
export type DocumentRefusal = 'not_issued' | 'loan_not_closed' | 'nothing_to_pay_off' | 'no_schedule'

/** What decides whether a document may be had. */
export type DocumentCircumstances = { status: LoanStatus; canBePaidOff: boolean; hasSchedule: boolean }

/** Why a document may not be had of a loan, or null when it may (spec §5, decisions 26 and 41). */
export function refuseDocument(
  type: GeneratedDocumentType,
  { status, canBePaidOff, hasSchedule }: DocumentCircumstances,
): DocumentRefusal | null {
  switch (type) {
    case 'sanction_letter':
    case 'loan_agreement':
      return 'not_issued'
    case 'loan_closure_certificate':
      return status === 'CLOSED' ? null : 'loan_not_closed'
    case 'payoff_letter':
      return canBePaidOff ? null : 'nothing_to_pay_off'
    case 'repayment_schedule':
      return hasSchedule ? null : 'no_schedule'
    case 'statement_of_account':
    case 'interest_certificate':
    case 'payment_receipt':
      return null
  }
}

/** What may be uploaded to one loan in all. */
export type DocumentQuota = { countMax: number; bytesMax: number }

/** Whether another file of a size still fits. */
export const fitsQuota = (quota: DocumentQuota, stored: { count: number; bytes: number }, sizeBytes: number): boolean =>
  stored.count < quota.countMax && stored.bytes + sizeBytes <= quota.bytesMax

/** Why a file is not stored although its type is allowed. Each has a sentence of its own in the API and on the screen. */
export const fileRefusalReasons = [
  'malware',
  'pdf_damaged',
  'pdf_trailing_bytes',
  'pdf_encrypted',
  'pdf_javascript',
  'pdf_launch',
  'pdf_remote_file',
  'pdf_goto_embedded',
  'pdf_submit_form',
  'pdf_import_data',
  'pdf_rich_media',
  'pdf_embedded_files',
  'pdf_xfa_form',
  'pdf_unpacks_too_large',
  'pdf_unreadable_part',
  'picture_damaged',
  'picture_animated',
  'picture_too_many_pixels',
  'examination_timeout',
  'examination_memory',
  'examination_failed',
] as const
export type FileRefusalReason = (typeof fileRefusalReasons)[number]
