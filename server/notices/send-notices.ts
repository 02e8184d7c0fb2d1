import type { FailureSubject, MandateEndReason } from '#domain/autopay.ts'
import { dayMs } from '#domain/durations.ts'
import { recordedTwice, returnedUncaptured, smsPreferenceOf, textDelayMs, textWithinMs, type NoticeKind } from '#domain/notices.ts'
import { smsMessages, type SmsMessage } from '../config/sms-templates.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { dayText, groupedRupees } from '#domain/written-figures.ts'
import { composeSms, type ComposedSms } from './compose-sms.ts'
import { readPreferences } from './notice-preferences.ts'
import { markText, lockWaitingTexts, selectWaitingTexts, type NoticeRow, type UnsentText } from './notice-store.ts'

const textsPerBatch = 50
/** Narrows the type: every kind with a preference has a text message. */
const hasTemplate = (kind: NoticeKind): kind is NoticeKind & SmsMessage => (smsMessages as readonly string[]).includes(kind)
/** The carrier takes a text message within a day, or it is dropped. */
const expiresAfterMs = dayMs

/**
 * Enqueues the text messages of notices, each once: the notice is marked in the same transaction.
 *
 * @returns the number of notices that were processed.
 */
export async function sendNotices(context: Context): Promise<number> {
  const { database, clock, jobs } = context
  const now = clock.now()
  const found = await database.findAvailable(textsPerBatch, (sql) => selectWaitingTexts(sql, textsPerBatch))
  if (found.length === 0) return 0
  return database.asSystem(async (sql) => {
    const waiting = await lockWaitingTexts(sql, found)
    for (const notice of waiting) {
      const isLate = now.getTime() - notice.created_at.getTime() > textWithinMs(notice.kind)
      const wanted = notice.disabled_at === null ? await composeWantedText(context, sql, notice) : 'unwanted'
      const text = isLate && typeof wanted === 'object' ? 'too_late' : wanted
      if (typeof text === 'object')
        await jobs.enqueue(
          sql,
          'send-notice',
          { ...text, kind: notice.kind, to: notice.phone, expiresAt: new Date(now.getTime() + expiresAfterMs).toISOString() },
          { delayMs: textDelayMs(notice.kind, now) },
        )
      await markText(sql, notice, typeof text === 'object' ? 'queued' : text, now)
    }
    return waiting.length
  })
}

/** The text message, or why none is sent: the notice then only appears in the portal. */
async function composeWantedText(context: Context, sql: Sql, notice: NoticeRow): Promise<ComposedSms | UnsentText> {
  const { kind } = notice
  const preference = smsPreferenceOf[kind]
  const preferences = await readPreferences(context, sql, notice.borrower_id)
  if (preference === null || !hasTemplate(kind)) return 'unwanted'
  // The text asks to pay in the portal, where nothing is left to pay.
  if (kind === 'autopay_failed' && notice.subject === ('paid' satisfies FailureSubject)) return 'unwanted'
  if (kind === 'autopay_ended' && notice.subject === ('loan_closed' satisfies MandateEndReason)) return 'unwanted'
  if (kind === 'payment_reversed' && notice.subject === recordedTwice) return 'unwanted'
  if (preference !== 'always' && !preferences[preference]) return 'unwanted'
  // The text of a reversal says that the payment no longer counts: this one never did.
  const isUncaptured = kind === 'payment_reversed' && notice.subject === returnedUncaptured
  const text = composeSms(context.config, isUncaptured ? 'payment_not_captured' : kind, preferences.language, {
    brand: context.config.portal.brand.name,
    amount: notice.amount_paise === null ? '' : groupedRupees(notice.amount_paise),
    date: notice.about_on === null ? '' : dayText(notice.about_on, preferences.language),
    loan: notice.lan?.slice(-4) ?? '',
  })
  return text ?? 'no_template'
}
