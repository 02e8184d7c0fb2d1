import { minuteMs } from '#domain/durations.ts'
import type { Context } from '../context.ts'
import { removeUnnamedBytes } from './stored-file.ts'
import { findOldBytes, markBytesRemoved } from './stored-bytes-store.ts'

/** How many documents of a borrower keep their bytes, without receipts (decision 64). */
export const documentsWithBytesMax = 200
/** Longer than a document's address is valid, so that no valid address fails. */
const retentionMsMin = 10 * minuteMs
/** Removing several per written document catches up with a backlog. */
const removalsPerBatch = 20

/**
 * Removes the bytes of old documents. Rows and verification codes stay; a new request writes the
 * document again.
 */
export async function removeOldBytes(context: Context, borrowerId: string): Promise<void> {
  const { database, clock } = context
  const now = clock.now()
  const removed = await database.asBorrower(borrowerId, async (sql) => {
    const marked: string[] = []
    const writtenBefore = new Date(now.getTime() - retentionMsMin)
    for (const document of await findOldBytes(sql, borrowerId, { kept: documentsWithBytesMax, writtenBefore, limit: removalsPerBatch }))
      if (await markBytesRemoved(sql, borrowerId, document, now)) marked.push(document.storage_key)
    return marked
  })
  for (const key of removed) await removeUnnamedBytes(context, key)
}
