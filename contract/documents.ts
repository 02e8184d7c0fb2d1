import * as z from 'zod/mini'
import {
  documentContentTypes,
  documentLanguages,
  generatedDocumentTypes,
  uploadedDocumentTypes,
  type DocumentContentType,
} from '#domain/documents.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

const contentTypes = Object.keys(documentContentTypes) as [DocumentContentType, ...DocumentContentType[]]

/** A file the borrower uploaded. */
export const document = z.object({
  document_id: z.string(),
  created_at: instant,
  content_type: z.enum(contentTypes),
  metadata: z.object({ document_type: z.enum(uploadedDocumentTypes), filename: z.string() }),
  /** Ours: of what is stored, which for an image is without what the camera noted. */
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
 * One file with its text fields. The same file for the same loan and type again answers the document it made the first time, so
 * that an upload whose answer was lost can be sent anew. An empty `partner_loan_id` counts as absent.
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

/** The bytes of an uploaded document, whole or a range of them. Each opening is a line of the access log. */
export const openDocument = endpoint({
  method: 'GET',
  path: '/portal/documents/:document_id',
  access: 'document:read',
  summary: 'The bytes of an uploaded document',
  params: z.object({ document_id: identifier }),
  answers: 'file',
  response: z.unknown(),
  errors: ['NotFound', 'StorageUnavailable'],
})

/** Writes a document about the loan and tells where it can be fetched for five minutes, without a header (decision 41). */
export const generateDocument = endpoint({
  method: 'GET',
  path: '/portal/generate-document',
  access: 'document:read',
  summary: 'Write a document about a loan',
  query: z.object({
    lead_id: identifier,
    doc_type: z.enum(generatedDocumentTypes),
    /** Ours, from here on. `language` absent: the lender's default. */
    language: z.optional(z.enum(documentLanguages)),
    /** Of a statement: the first and last day, both included. Absent: from the beginning, to today. */
    from: z.optional(day),
    to: z.optional(day),
    /** Of an interest certificate, such as `2026-27`. Absent: the one that today lies in. */
    financial_year: z.optional(z.string().check(z.regex(/^[0-9]{4}-[0-9]{2}$/, 'must be a financial year such as 2026-27'))),
    /** Which receipt; needed of a `payment_receipt`, without meaning otherwise. */
    receipt_number: z.optional(identifier),
  }),
  response: z.object({
    doc_url: z.string(),
    /** Ours, always sent and needed by nobody: what the file is called when it is saved, when the address ends, the code printed in the document. */
    filename: z.optional(z.string()),
    expires_at: z.optional(instant),
    verification_code: z.optional(z.string()),
  }),
  errors: ['NotFound', 'DocumentNotAvailable', 'StorageUnavailable'],
})

/** Where a `doc_url` leads. The ticket is the key: it names the borrower and the session, and ends with either. */
export const openGeneratedDocument = endpoint({
  method: 'GET',
  path: '/portal/generated-document',
  access: 'public',
  summary: 'The bytes of a document we wrote',
  query: z.object({ ticket: z.string().check(z.minLength(1), z.maxLength(600)) }),
  answers: 'file',
  response: z.unknown(),
  errors: ['NotFound', 'StorageUnavailable'],
})

/** Whether a document with this code was issued and still stands, for whoever holds one on paper. Tells no name and no whole number. */
export const verifyDocument = endpoint({
  method: 'GET',
  path: '/documents/verify',
  access: 'public',
  summary: 'Check the code printed in a document we wrote',
  query: z.object({ code: z.string().check(z.regex(/^[0-9A-Za-z -]{16,24}$/, 'must be the sixteen letters and digits of the code')) }),
  response: z.object({
    doc_type: z.enum(generatedDocumentTypes),
    /** The last four characters of the loan account number. */
    lan_ending: z.string(),
    issued_on: day,
    /** Of a receipt whose payment was taken back: since when it is worth nothing. */
    cancelled_on: z.nullable(day),
    /** SHA-256 of the file, in hex. */
    sha256: z.string(),
  }),
  errors: ['NotFound'],
})
