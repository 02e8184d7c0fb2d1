import * as z from 'zod/mini'
import {
  documentContentTypes,
  documentLanguages,
  generatedDocumentTypes,
  uploadedDocumentTypes,
  type DocumentContentType,
} from '#domain/documents.ts'
import { amount } from './amount.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

const contentTypes = Object.keys(documentContentTypes) as [DocumentContentType, ...DocumentContentType[]]

/** A file that the borrower uploaded. */
export const document = z.object({
  document_id: z.string(),
  created_at: instant,
  content_type: z.enum(contentTypes),
  metadata: z.object({ document_type: z.enum(uploadedDocumentTypes), filename: z.string() }),
  /**
   * Not in the specification. The size of the stored file; an image is stored without camera
   * metadata.
   */
  size_bytes: z.int(),
})
export type Document = z.output<typeof document>

/** The loan's uploads, newest first. */
export const readDocuments = endpoint({
  method: 'GET',
  path: '/portal/documents',
  access: 'session',
  summary: 'The documents uploaded for a loan',
  query: z.object({ lead_id: identifier }),
  response: z.object({ documents: z.array(document) }),
  errors: ['NotFound'],
})

/**
 * One file with its text fields. The same file for the same loan and type returns the existing
 * document, so that a client can retry. An empty `partner_loan_id` counts as absent.
 */
export const uploadDocument = endpoint({
  method: 'POST',
  path: '/portal/upload-document',
  access: 'document:create',
  summary: 'Upload a document of a loan',
  takes: 'file',
  body: z.object({
    document_type: z.enum(uploadedDocumentTypes),
    lead_id: identifier,
    partner_loan_id: z.optional(z.union([identifier, z.literal('')])),
    lan: identifier,
  }),
  response: document,
  errors: [
    'NotFound',
    'FileEmpty',
    'FileTypeUnsupported',
    'FileTooLarge',
    'FileRefused',
    'DocumentQuotaReached',
    'LoanNotActive',
    'LeadIdMissing',
    'RequestTimeout',
    'UnsupportedMediaType',
    'StorageUnavailable',
    'ScannerUnavailable',
  ],
})

/**
 * The bytes of an uploaded document, or a range of them. Each opening writes an access log entry.
 */
export const openDocument = endpoint({
  method: 'GET',
  path: '/portal/documents/:document_id',
  access: 'document:read',
  summary: 'Download an uploaded document',
  params: z.object({ document_id: identifier }),
  answers: 'file',
  response: z.unknown(),
  errors: ['NotFound', 'StorageUnavailable'],
})

/**
 * Generates a document of the loan and returns an address that works for five minutes without a
 * header (decision 41).
 */
export const generateDocument = endpoint({
  method: 'GET',
  path: '/portal/generate-document',
  access: 'document:read',
  summary: 'Generate a document of a loan',
  query: z.object({
    lead_id: identifier,
    doc_type: z.enum(generatedDocumentTypes),
    /** The rest is not in the specification. `language` absent: the lender's default. */
    language: z.optional(z.enum(documentLanguages)),
    /** For a statement: first and last day, both included. Absent: from the beginning, to today. */
    from: z.optional(day),
    to: z.optional(day),
    /** For an interest certificate, such as `2026-27`. Absent: the current year. */
    financial_year: z.optional(z.string().check(z.regex(/^[0-9]{4}-[0-9]{2}$/, 'must be a financial year such as 2026-27'))),
    /** The receipt of a `payment_receipt`. Ignored for other types. */
    receipt_number: z.optional(identifier),
  }),
  response: z.object({
    doc_url: z.string(),
    /**
     * Not in the specification and always sent: the file's name, the end of the address, the code
     * printed in the document.
     */
    filename: z.optional(z.string()),
    expires_at: z.optional(instant),
    verification_code: z.optional(z.string()),
  }),
  errors: ['NotFound', 'DocumentNotAvailable', 'StorageUnavailable'],
})

/**
 * The target of a `doc_url`. The ticket authorises the request: it names the borrower and the
 * session, and expires with the address or the session.
 */
export const openGeneratedDocument = endpoint({
  method: 'GET',
  path: '/portal/generated-document',
  access: 'public',
  summary: 'Download a generated document',
  query: z.object({ ticket: z.string().check(z.minLength(1), z.maxLength(600)) }),
  answers: 'file',
  response: z.unknown(),
  errors: ['NotFound', 'StorageUnavailable'],
})

/**
 * Whether a document with this code was issued and is still valid. Contains no name and no full
 * loan account number.
 */
export const verifyDocument = endpoint({
  method: 'GET',
  path: '/documents/verify',
  access: 'public',
  summary: 'Verify the code of a generated document',
  query: z.object({ code: z.string().check(z.regex(/^[0-9A-Za-z -]{16,24}$/, 'must be the sixteen letters and digits of the code')) }),
  response: z.object({
    doc_type: z.enum(generatedDocumentTypes),
    /** The lender in whose name the document was issued. */
    lender: z.string(),
    /**
     * The amount that the document states: received, that closes the loan, interest paid, repaid in
     * all, outstanding at the end of a statement, or disbursed. Null for documents of versions that
     * did not store it, or stored interest below zero.
     */
    amount: z.nullable(amount),
    /** The last four characters of the loan account number. */
    lan_ending: z.string(),
    issued_on: day,
    /**
     * The day from which it is not valid: a receipt of a payment that was reversed, or the closure
     * certificate of a loan that owes again.
     */
    cancelled_on: z.nullable(day),
    /** SHA-256 of the file, in hex. */
    sha256: z.string(),
  }),
  errors: ['NotFound'],
})
