import { sql as raw } from 'kysely'
import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { smsPreferenceOf, type NoticeKind } from '#domain/notices.ts'
import type { Sql } from './database/connect.ts'
import { executeDeferred } from './database/statement.ts'

type NewNotice = {
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
export function addNotice(sql: Sql, notice: NewNotice, now: Date): Promise<void> {
  const { borrowerId, about, kind, lan = null, amountPaise = null, date = null, subject = null, paymentLinkId = null } = notice
  const sms = smsPreferenceOf[kind] === null ? null : 'waiting'
  const insert = raw`
    insert into notices (borrower_id, notice_id, about, kind, lan, amount_paise, about_on, subject, payment_link_id, created_at, sms)
    values (${borrowerId}, ${uuidv7()}, ${about}, ${kind}, ${lan}, ${amountPaise}, ${date}, ${subject}, ${paymentLinkId}, ${now}, ${sms})
    on conflict (borrower_id, about) do nothing
  `
  return executeDeferred(sql, insert.compile(sql))
}
