import type { LoanStatus } from './loans.ts'

/** What an uploaded file contains, as the borrower declares it (spec §5). */
export const uploadedDocumentTypes = ['Transcript', 'Others'] as const
export type UploadedDocumentType = (typeof uploadedDocumentTypes)[number]

/** The papers of a loan that the lender publishes. */
export const loanPapers = ['kfs', 'sanction_letter', 'agreement', 'schedule_of_charges'] as const
export type LoanPaper = (typeof loanPapers)[number]

/**
 * File types that can be uploaded (spec §5), each with its extensions. The first extension is the
 * usual one.
 */
export const documentContentTypes = {
  'application/pdf': ['pdf'],
  'image/bmp': ['bmp', 'dib'],
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png'],
  'image/webp': ['webp'],
} as const satisfies Record<string, readonly string[]>
export type DocumentContentType = keyof typeof documentContentTypes

/** Other names under which browsers declare the same types. */
const contentTypeAliases: ReadonlyMap<string, DocumentContentType> = new Map([
  ['application/x-pdf', 'application/pdf'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-ms-bmp', 'image/bmp'],
  ['image/x-bmp', 'image/bmp'],
])

/** The type of a declaration such as `image/jpg; q=1`. Null if it cannot be uploaded. */
export function declaredContentType(declared: string): DocumentContentType | null {
  const name = (declared.split(';')[0] ?? '').trim().toLowerCase()
  if (Object.hasOwn(documentContentTypes, name)) return name as DocumentContentType
  return contentTypeAliases.get(name) ?? null
}

/** True if a file's name has no extension or one of the type's. "Dr. Rao" has none. */
export function hasMatchingExtension(filename: string, contentType: DocumentContentType): boolean {
  const ending = findExtension(cleanFilename(filename))
  return ending === null || (documentContentTypes[contentType] as readonly string[]).includes(ending.toLowerCase())
}

const filenameLengthMax = 150
/**
 * Control and format characters, halves of surrogate pairs, private characters, line and paragraph
 * separators.
 */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/** A name without folders, invisible characters, and those that file systems refuse. */
const cleanFilename = (given: string): string =>
  (given.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? '')
    .replace(invisibleCharacters, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/[. ]+$/, '')

const findExtension = (clean: string): string | null => /\.([^. ]{1,5})$/.exec(clean)?.[1] ?? null

/**
 * A file's name as it is stored and shown. Folders and invisible characters are removed, characters
 * that file systems refuse are replaced, and a long name is shortened before its extension.
 */
export function safeFilename(given: string, contentType: DocumentContentType): string {
  const clean = cleanFilename(given)
  const [usual] = documentContentTypes[contentType]
  const ending = findExtension(clean) ?? usual
  const stem = clean.endsWith(`.${ending}`) ? clean.slice(0, -ending.length - 1) : clean
  const short = [...stem.replace(/^[. ]+/, '')].slice(0, filenameLengthMax).join('').trimEnd() || 'document'
  return `${short}.${ending}`
}

/**
 * Documents that the portal generates (spec §5, decision 41). The first four are in the
 * specification.
 */
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

/**
 * Why a document is not available: the portal does not issue its type, or not in the loan's state.
 * `loan_unknown`: what is owed, and what was paid, is not known while the lender checks the loan.
 */
export type DocumentRefusal = 'not_issued' | 'loan_not_closed' | 'loan_unknown' | 'nothing_to_pay_off' | 'no_schedule'

/** What decides whether a document is available. */
export type DocumentCircumstances = { status: LoanStatus; canBePaidOff: boolean; hasSchedule: boolean }

/** Why a document of a loan is not available. Null if it is (spec §5, decisions 26 and 41). */
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
      if (canBePaidOff) return null
      return status === 'UNKNOWN' ? 'loan_unknown' : 'nothing_to_pay_off'
    case 'repayment_schedule':
      return hasSchedule ? null : 'no_schedule'
    case 'interest_certificate':
      // Money that came meanwhile is not allocated: its interest would be missing.
      return status === 'UNKNOWN' ? 'loan_unknown' : null
    case 'statement_of_account':
    case 'payment_receipt':
      return null
  }
}

/** The upload limits of one loan. */
export type DocumentQuota = { countMax: number; bytesMax: number }

/** True if another file of this size is within the quota. */
export const fitsQuota = (quota: DocumentQuota, stored: { count: number; bytes: number }, sizeBytes: number): boolean =>
  stored.count < quota.countMax && stored.bytes + sizeBytes <= quota.bytesMax

/** Why a file of an allowed type is not stored. The API and the screen have a sentence for each. */
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
