import type { Context } from '../context.ts'
import { findOldBytes, markBytesRemoved } from './kept-bytes-store.ts'

/** The bytes of so many documents of a borrower are kept, receipts aside (decision 64). */
export const bytesKeptOfBorrower = 200
/** Longer than an address of a document holds, so that no address leads to nothing. */
const keptMsMin = 10 * 60_000
/** A document is written one at a time, so more than one catches up. */
const removedAtOnce = 20

/** Removes the bytes of documents that were written long ago. Rows and verification codes stay; asked for again, a document is written again. */
export async function removeOldBytes({ database, storage, clock, log }: Context, borrowerId: string): Promise<void> {
  const now = clock.now()
  const removed = await database.asBorrower(borrowerId, async (sql) => {
    const marked: string[] = []
    const writtenBefore = new Date(now.getTime() - keptMsMin)
    for (const document of await findOldBytes(sql, borrowerId, { kept: bytesKeptOfBorrower, writtenBefore, atOnce: removedAtOnce }))
      if (await markBytesRemoved(sql, borrowerId, document, now)) marked.push(document.storage_key)
    return marked
  })
  // The row no longer names these bytes: what cannot be removed now, the sweep removes.
  for (const key of removed)
    await storage.remove(key).catch((error: unknown) => log.warn({ err: error }, 'bytes without a row were left to the sweep'))
}
