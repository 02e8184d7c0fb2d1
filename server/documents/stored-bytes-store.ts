import { sql as rawSql } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { GeneratedRow } from './document-store.ts'

type Bytes = Pick<GeneratedRow, 'size_bytes' | 'sha256' | 'storage_key' | 'bytes_written_at'>

/**
 * Stores the new bytes of a document that was written again.
 *
 * @returns the updated row.
 */
export function saveBytes(sql: Sql, { borrower_id, document_id }: GeneratedRow, bytes: Bytes): Promise<GeneratedRow> {
  return sql
    .updateTable('generated_documents')
    .set({
      size_bytes: bytes.size_bytes,
      sha256: bytes.sha256,
      storage_key: bytes.storage_key,
      bytes_written_at: bytes.bytes_written_at,
      bytes_removed_at: null,
    })
    .where('borrower_id', '=', borrower_id)
    .where('document_id', '=', document_id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

const writtenAt = rawSql<Date>`coalesce(bytes_written_at, created_at)`

/**
 * Finds stored bytes beyond the newest `kept` documents, without receipts; at most `limit`, newest
 * first.
 */
export function findOldBytes(
  sql: Sql,
  borrowerId: string,
  { kept, writtenBefore, limit }: { kept: number; writtenBefore: Date; limit: number },
): Promise<Pick<GeneratedRow, 'document_id' | 'storage_key'>[]> {
  const old = sql
    .selectFrom('generated_documents')
    .select(['document_id', 'storage_key', writtenAt.as('written_at')])
    .where('borrower_id', '=', borrowerId)
    .where('doc_type', '<>', 'payment_receipt')
    .where('bytes_removed_at', 'is', null)
    .orderBy(writtenAt, 'desc')
    .orderBy('document_id', 'desc')
    .offset(kept)
    .limit(limit)
  return sql.selectFrom(old.as('old')).select(['document_id', 'storage_key']).where('written_at', '<', writtenBefore).execute()
}

/** @returns false if the bytes were written again meanwhile. */
export async function markBytesRemoved(
  sql: Sql,
  borrowerId: string,
  { document_id, storage_key }: Pick<GeneratedRow, 'document_id' | 'storage_key'>,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('generated_documents')
    .set({ bytes_removed_at: now })
    .where('borrower_id', '=', borrowerId)
    .where('document_id', '=', document_id)
    .where('storage_key', '=', storage_key)
    .where('bytes_removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
