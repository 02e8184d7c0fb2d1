import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import { smsPreferenceOf, type NoticeKind } from '#domain/notices.ts'
import type { Sql } from '../database/connect.ts'
import { insertNotice } from './notice-store.ts'

export type NewNotice = {
  borrowerId: string
  /** Names the occasion for good: told once, whoever tells it and however often. */
  about: string
  kind: NoticeKind
  lan?: string
  amountPaise?: Paise
  date?: Day
  subject?: string
}

/**
 * Tells a borrower of something, in the transaction that brings it about: both stand, or neither. Where the kind also goes out as a
 * text message, the worker sees to that after the commit.
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
