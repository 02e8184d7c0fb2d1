import type { markNoticesRead as call } from '#contract/notices.ts'
import { isAssuming } from '../caller.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { isUuid } from '#contract/uuid.ts'
import { countUnread, markRead } from './notice-store.ts'

/**
 * Marks the borrower's notices as read. Unknown ids are ignored; staff who act for the borrower
 * mark nothing.
 */
export const markNoticesRead: UseCase<typeof call> = async ({ database, clock }, caller, { body }) => {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    if (!isAssuming(caller)) {
      const upTo = body.up_to ?? null
      const noticeIds = upTo === null || isUuid(upTo) ? (body.notice_ids?.filter(isUuid) ?? null) : []
      await markRead(sql, borrowerId, { noticeIds, upTo }, clock.now())
    }
    return { unread_count: await countUnread(sql, borrowerId) }
  })
}
