import type { Document } from '#contract/documents.ts'
import type { ShownDocument } from './document-store.ts'

export const documentOnWire = (document: ShownDocument): Document => ({
  document_id: document.document_id,
  created_at: document.created_at,
  content_type: document.content_type,
  metadata: { document_type: document.document_type, filename: document.filename },
  size_bytes: Number(document.size_bytes),
})
