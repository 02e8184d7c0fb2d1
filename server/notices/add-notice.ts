import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { smsPreferenceOf, type NoticeKind } from '#domain/notices.ts'
import type { Sql } from '../database/connect.ts'
import { insertNotice } from './notice-store.ts'

type NewNotice = {
  borrowerId: string
  /** Identifies the event: a second notice with the same value is ignored. */
  about: string
  kind: NoticeKind
  lan?: string
  amountPaise?: Paise
  date?: Day
  subject?: string
}

/**
 * Adds a notice for a borrower in the transaction of the event, so that both are committed or
 * neither. If the kind has a text message, the worker sends it after the commit.
 */
export async function addNotice(
  sql: Sql,
  { borrowerId, about, kind, lan, amountPaise, date, subject }: NewNotice,
  now: Date,
): Promise<void> {
  await insertNotice(sql, {
    borrower_id: borrowerId,
    notice_id: uuidv7(),
    about,
    kind,
    lan: lan ?? null,
    amount_paise: amountPaise ?? null,
    about_on: date ?? null,
    subject: subject ?? null,
    created_at: now,
    sms: smsPreferenceOf[kind] === null ? null : 'waiting',
  })
}
