import * as z from 'zod/mini'
import { documentLanguages } from '#domain/documents.ts'
import { noticeKinds } from '#domain/notices.ts'
import { amount } from './amount.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/** Something that changed. The sentence is the reader's side: it comes from the kind and what it is about. */
export const notice = z.object({
  notice_id: z.string(),
  kind: z.enum(noticeKinds),
  created_at: instant,
  read_at: z.nullable(instant),
  lan: z.nullable(z.string()),
  amount: z.nullable(amount),
  /** Of what is due, or of the day a tranche is for. */
  date: z.nullable(day),
  /** A document's file name, a refund's bank reference. */
  subject: z.nullable(z.string()),
  /**
   * What became of the text message: it waits, was handed to the carrier, is not wanted or came too late, or has no registered template.
   * Null: this kind is never sent by SMS.
   */
  sms: z.optional(z.nullable(z.enum(['waiting', 'queued', 'unwanted', 'no_template']))),
})
export type Notice = z.output<typeof notice>

/** The last hundred, newest first. */
export const readNotices = endpoint({
  method: 'GET',
  path: '/portal/notices',
  access: 'session',
  summary: 'What changed',
  response: z.object({ notices: z.array(notice), unread_count: z.int() }),
})

/** Staff who act for a borrower read nothing in the borrower's stead: for them it changes nothing. */
export const markNoticesRead = endpoint({
  method: 'POST',
  path: '/portal/notices/read',
  access: 'session',
  summary: 'Mark notices as read',
  body: z.object({
    /** Absent: all. */
    notice_ids: z.optional(z.array(identifier).check(z.maxLength(100))),
  }),
  response: z.object({ unread_count: z.int() }),
})

const preferences = z.object({
  /** Text messages about money received. */
  sms_payments: z.boolean(),
  /** Text messages about tranches. */
  sms_tranches: z.boolean(),
  /** A text message before an instalment falls due. */
  sms_due_soon: z.boolean(),
  language: z.enum(documentLanguages),
})
export type NoticePreferences = z.output<typeof preferences>

export const readNoticePreferences = endpoint({
  method: 'GET',
  path: '/portal/notice-preferences',
  access: 'session',
  summary: 'Which text messages the borrower wants',
  response: preferences,
})

/** What is absent stays as it is. */
export const changeNoticePreferences = endpoint({
  method: 'PATCH',
  path: '/portal/notice-preferences',
  access: 'session',
  summary: 'Choose which text messages to get',
  body: z.partial(preferences),
  response: preferences,
})
