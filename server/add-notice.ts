import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { smsPreferenceOf, type NoticeKind } from '#domain/notices.ts'
import type { Sql } from './database/connect.ts'
import { executeDeferred } from './database/statement.ts'

export type NewNotice = {
  borrowerId: string
  /** Identifies the event: a second notice with the same value is ignored. */
  about: string
  kind: NoticeKind
  lan?: string
  amountPaise?: Paise
  date?: Day
  subject?: string
  /** The provider's id of the link whose trail explains the notice. */
  paymentLinkId?: string | null
}

/**
 * Adds a notice for a borrower in the transaction of the event, so that both are committed or
 * neither. If the kind has a text message, the worker sends it after the commit. The reader must
 * not be the person who acted, except where somebody else could have acted in their name.
 */
export const addNotice = (sql: Sql, notice: NewNotice, now: Date): Promise<void> => addNotices(sql, [notice], now)

/** As {@link addNotice}, for many borrowers at once. */
export function addNotices(sql: Sql, notices: readonly NewNotice[], now: Date): Promise<void> {
  if (notices.length === 0) return Promise.resolve()
  const insert = sql
    .insertInto('notices')
    .values(
      notices.map(({ borrowerId, about, kind, lan = null, amountPaise = null, date = null, subject = null, paymentLinkId = null }) => ({
        borrower_id: borrowerId,
        notice_id: uuidv7(),
        about,
        kind,
        lan,
        amount_paise: amountPaise,
        about_on: date,
        subject,
        payment_link_id: paymentLinkId,
        created_at: now,
        sms: smsPreferenceOf[kind] === null ? null : 'waiting',
      })),
    )
    .onConflict((conflict) => conflict.columns(['borrower_id', 'about']).doNothing())
  return executeDeferred(sql, insert.compile())
}
