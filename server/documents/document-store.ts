import type { Insertable, Selectable } from 'kysely'
import type { UploadedDocumentType } from '#domain/documents.ts'
import type { Sql } from '../database/connect.ts'
import type { Documents, GeneratedDocuments } from '../database/schema.generated.ts'
import { statement } from '../database/statement.ts'
import type { LoanKey } from '../loans/loan-store.ts'

export type DocumentRow = Selectable<Documents>
/** The columns that the API shows. */
export type ShownDocument = Pick<DocumentRow, 'document_id' | 'created_at' | 'content_type' | 'document_type' | 'filename' | 'size_bytes'>
export type GeneratedRow = Selectable<GeneratedDocuments>

/** The uploads for a borrower's loans, newest first. */
export const documentsOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('documents')
    .select(['loan_id', 'document_id', 'created_at', 'content_type', 'document_type', 'filename', 'size_bytes'])
    .where('borrower_id', '=', borrowerId)
    .orderBy('created_at', 'desc')
    .orderBy('document_id', 'desc'),
)

export async function findDocument(sql: Sql, borrowerId: string, documentId: string): Promise<DocumentRow | undefined> {
  return sql
    .selectFrom('documents')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('document_id', '=', documentId)
    .executeTakeFirst()
}

/** Finds an earlier upload of the same bytes. */
export async function findSameUpload(
  sql: Sql,
  loan: LoanKey,
  documentType: UploadedDocumentType,
  uploadSha256: Buffer,
): Promise<DocumentRow | undefined> {
  return sql
    .selectFrom('documents')
    .selectAll()
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('document_type', '=', documentType)
    .where('upload_sha256', '=', uploadSha256)
    .executeTakeFirst()
}

/** Counts a loan's documents and their total bytes. */
export async function readUsage(sql: Sql, loan: LoanKey): Promise<{ count: number; bytes: number }> {
  const row = await sql
    .selectFrom('documents')
    .select(({ fn }) => [fn.countAll<bigint>().as('count'), fn.sum<string>('size_bytes').as('bytes')])
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), bytes: Number(row.bytes ?? 0) }
}

export async function insertDocument(sql: Sql, document: DocumentRow): Promise<void> {
  await sql.insertInto('documents').values(document).execute()
}

/** Finds which of these keys have a row of any borrower. For the sweep. */
export async function findKeysInUse(sql: Sql, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const uploaded = await sql
    .selectFrom('documents')
    .select('storage_key')
    .where('storage_key', 'in', [...keys])
    .execute()
  const generated = await sql
    .selectFrom('generated_documents')
    .select('storage_key')
    .where('storage_key', 'in', [...keys])
    .where('bytes_removed_at', 'is', null)
    .execute()
  const papers = await sql
    .selectFrom('loan_papers')
    .select('storage_key')
    .where('storage_key', 'in', [...keys])
    .execute()
  return new Set([...uploaded, ...generated, ...papers].map((row) => row.storage_key))
}

export function findGenerated(sql: Sql, borrowerId: string, contentHash: Buffer): Promise<GeneratedRow | undefined> {
  return sql
    .selectFrom('generated_documents')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('content_hash', '=', contentHash)
    .executeTakeFirst()
}

export function findGeneratedById(sql: Sql, borrowerId: string, documentId: string): Promise<GeneratedRow | undefined> {
  return sql
    .selectFrom('generated_documents')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('document_id', '=', documentId)
    .executeTakeFirst()
}

/**
 * Stores a generated document and its code.
 *
 * @returns false if another request was first.
 */
export async function insertGenerated(sql: Sql, document: Insertable<GeneratedDocuments>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('generated_documents')
    .values(document)
    .onConflict((conflict) => conflict.columns(['borrower_id', 'content_hash']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return false
  await sql
    .insertInto('document_codes')
    .values({ code: document.code, borrower_id: document.borrower_id, document_id: document.document_id })
    .execute()
  return true
}

/** Finds the document with a code, and its loan's number: first whose it is, then their rows. */
export async function findByCode(sql: Sql, code: string) {
  const known = await sql.selectFrom('document_codes').select(['borrower_id', 'document_id']).where('code', '=', code).executeTakeFirst()
  if (!known) return undefined
  return sql
    .selectFrom('generated_documents as document')
    .innerJoin('loans as loan', (join) =>
      join.onRef('loan.borrower_id', '=', 'document.borrower_id').onRef('loan.loan_id', '=', 'document.loan_id'),
    )
    .select([
      'document.borrower_id',
      'document.loan_id',
      'document.doc_type',
      'document.issued_on',
      'document.created_at',
      'document.amount_paise',
      'document.sha256',
      'document.receipt_number',
      'loan.lan',
    ])
    .where('document.borrower_id', '=', known.borrower_id)
    .where('document.document_id', '=', known.document_id)
    .executeTakeFirst()
}
