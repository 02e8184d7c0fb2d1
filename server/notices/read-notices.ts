import type { Notice, readNotices as call } from '#contract/notices.ts'
import { noticeKinds } from '#domain/notices.ts'
import { defineReading } from '../http/reading.ts'
import { newestNotices, unreadNotices, type ShownNotice } from './notice-store.ts'

/** Reads the borrower's latest notices, newest first. */
export const readNotices = defineReading<typeof call>()(
  (borrowerId) => [newestNotices.with({ borrowerId }), unreadNotices.with({ borrowerId })],
  (_context, _caller, _request, [notices, [unread]]) => ({
    notices: notices.filter(isKnown).map(noticeOnWire),
    unread_count: Number(unread?.count),
  }),
)

/** False for a kind of a newer version, beside or before which this process runs. */
const isKnown = ({ kind }: ShownNotice): boolean => (noticeKinds as readonly string[]).includes(kind)

const noticeOnWire = (notice: ShownNotice): Notice => ({
  notice_id: notice.notice_id,
  kind: notice.kind,
  created_at: notice.created_at,
  read_at: notice.read_at,
  is_new: notice.is_new,
  lan: notice.lan,
  amount: notice.amount_paise,
  date: notice.about_on,
  payment_link_id: notice.payment_link_id,
  subject: notice.subject,
  sms: notice.sms as NonNullable<Notice['sms']> | null,
})
