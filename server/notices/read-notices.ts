import type { Notice, readNotices as call } from '#contract/notices.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { countUnread, findNewestNotices, type NoticeRow } from './notice-store.ts'

const noticesMax = 100

/** Reads the borrower's latest notices, newest first. */
export const readNotices: UseCase<typeof call> = async ({ database }, caller) => {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => ({
    notices: (await findNewestNotices(sql, borrowerId, noticesMax)).map(noticeOnWire),
    unread_count: await countUnread(sql, borrowerId),
  }))
}

const noticeOnWire = (notice: NoticeRow): Notice => ({
  notice_id: notice.notice_id,
  kind: notice.kind,
  created_at: notice.created_at,
  read_at: notice.read_at,
  lan: notice.lan,
  amount: notice.amount_paise,
  date: notice.about_on,
  subject: notice.subject,
  sms: notice.sms as NonNullable<Notice['sms']> | null,
})
