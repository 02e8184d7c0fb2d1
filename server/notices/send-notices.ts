import { smsPreferenceOf } from '#domain/notices.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { dayText, groupedRupees } from '#domain/written-figures.ts'
import { composeSms, type ComposedSms } from './compose-sms.ts'
import { preferencesOf } from './notice-preferences.ts'
import { markText, takeWaitingTexts, type NoticeRow } from './notice-store.ts'

const textsAtOnce = 50
/** A message about money is of use for a day; after that the bell alone tells it. */
const usefulMs = 86_400_000

/**
 * Hands the text messages of notices to the job queue, each once: the notice says so in the same transaction. A worker that dies
 * has done both or neither.
 *
 * @returns how many were looked at.
 */
export async function sendNotices(context: Context): Promise<number> {
  const { database, clock, jobs } = context
  const now = clock.now()
  return database.asSystem(async (sql) => {
    const waiting = await takeWaitingTexts(sql, textsAtOnce)
    for (const notice of waiting) {
      const isLate = now.getTime() - notice.created_at.getTime() > usefulMs
      const text = notice.disabled_at === null && !isLate ? await wantedText(context, sql, notice) : 'unwanted'
      if (typeof text === 'object')
        await jobs.enqueue(sql, 'send-sms', {
          ...text,
          to: notice.phone,
          code: null,
          expiresAt: new Date(now.getTime() + usefulMs).toISOString(),
        })
      await markText(sql, notice, typeof text === 'object' ? 'queued' : text, now)
    }
    return waiting.length
  })
}

/** `unwanted`: the borrower does not want messages of this kind. `no_template`: none is registered for it; the bell alone tells it. */
async function wantedText(context: Context, sql: Sql, notice: NoticeRow): Promise<ComposedSms | 'unwanted' | 'no_template'> {
  const { kind } = notice
  const preference = smsPreferenceOf[kind]
  const preferences = await preferencesOf(context, sql, notice.borrower_id)
  if (kind === 'document_added' || preference === null || !preferences[preference]) return 'unwanted'
  const text = composeSms(context.config, kind, preferences.language, {
    brand: context.config.portal.brand.name,
    amount: notice.amount_paise === null ? '' : groupedRupees(notice.amount_paise),
    date: notice.about_on === null ? '' : dayText(notice.about_on, preferences.language),
    loan: notice.lan?.slice(-4) ?? '',
  })
  return text ?? 'no_template'
}
