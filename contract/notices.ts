import * as z from 'zod/mini'
import { documentLanguages } from '#domain/documents.ts'
import { noticeKinds } from '#domain/notices.ts'
import { amount } from './amount.ts'
import { day, instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/**
 * A notice of something that changed. The web writes the sentence from `kind` and the other fields.
 */
export const notice = z.object({
  notice_id: z.string(),
  kind: z.enum(noticeKinds),
  created_at: instant,
  read_at: z.nullable(instant),
  /** Not read, and not older than the borrower's first sign-in. */
  is_new: z.boolean(),
  lan: z.nullable(z.string()),
  amount: z.nullable(amount),
  /** The due date, the day of a tranche, or the day on which the loan was closed. */
  date: z.nullable(day),
  /** The link whose trail explains a payment or a refund. */
  payment_link_id: z.nullable(z.string()),
  /**
   * The file name of a document, the bank reference of a refund, the reason of staff for acting as
   * the borrower, `recorded_twice` for a reversed payment that the provider's payment replaces, or
   * the latest due date that an announced debit pays if that is not the one of its own day.
   */
  subject: z.nullable(z.string()),
  /**
   * The text message: waiting, handed to the carrier, not wanted, without a registered template, or
   * too late to be sent. Null: this kind is never sent by SMS.
   */
  sms: z.optional(z.nullable(z.enum(['waiting', 'queued', 'unwanted', 'no_template', 'too_late']))),
})
export type Notice = z.output<typeof notice>

/** The last hundred notices, newest first. `unread_count` counts all that are new. */
export const readNotices = endpoint({
  method: 'GET',
  path: '/portal/notices',
  access: 'session',
  summary: 'The notices of the borrower',
  response: z.object({ notices: z.array(notice), unread_count: z.int() }),
})

/** Changes nothing for staff who act for a borrower: only borrowers read their notices. */
export const markNoticesRead = endpoint({
  method: 'POST',
  path: '/portal/notices/read',
  access: 'session',
  summary: 'Mark notices as read',
  body: z.object({
    notice_ids: z.optional(z.array(identifier).check(z.maxLength(100))),
    /** The newest notice that was shown: it and all older ones. Both absent: all. */
    up_to: z.optional(identifier),
  }),
  response: z.object({ unread_count: z.int() }),
})

const preferences = z.object({
  /** Text messages about payments, charges, refunds and autopay, and when a loan is closed. */
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
  summary: 'The text messages that the borrower gets',
  response: preferences,
})

/** An absent preference does not change. */
export const changeNoticePreferences = endpoint({
  method: 'PATCH',
  path: '/portal/notice-preferences',
  access: 'session',
  summary: 'Change which text messages the borrower gets',
  body: z.partial(preferences),
  response: preferences,
})
