import type { changeNoticePreferences as change, NoticePreferences, readNoticePreferences as read } from '#contract/notices.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { executeTogether } from '../database/statement.ts'
import { defineReading } from '../http/reading.ts'
import type { UseCase } from '../http/route.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { preferencesOfBorrower, savePreferences, type PreferencesRow } from './notice-store.ts'

/** Which text messages a borrower wants; by default all, in the lender's language. */
const withDefaults = ({ config }: Pick<Context, 'config'>, chosen: PreferencesRow | undefined): NoticePreferences => ({
  sms_payments: chosen?.sms_payments ?? true,
  sms_tranches: chosen?.sms_tranches ?? true,
  sms_due_soon: chosen?.sms_due_soon ?? true,
  language: chosen?.language ?? config.portal.default_language,
})

/** Reads in an open transaction which text messages a borrower wants. */
export async function readPreferences(context: Pick<Context, 'config'>, sql: Sql, borrowerId: string): Promise<NoticePreferences> {
  const [[chosen]] = await executeTogether(sql, [preferencesOfBorrower.with({ borrowerId })])
  return withDefaults(context, chosen)
}

export const readNoticePreferences = defineReading<typeof read>()(
  (borrowerId) => [preferencesOfBorrower.with({ borrowerId })],
  (context, _caller, _request, [[chosen]]) => withDefaults(context, chosen),
)

/** Stores the given preferences; absent ones stay unchanged. */
export const changeNoticePreferences: UseCase<typeof change> = async (context, caller, { body }) => {
  const borrowerId = requireBorrower(caller)
  return context.database.asBorrower(borrowerId, async (sql) => {
    const earlier = await readPreferences(context, sql, borrowerId)
    const chosen: NoticePreferences = {
      sms_payments: body.sms_payments ?? earlier.sms_payments,
      sms_tranches: body.sms_tranches ?? earlier.sms_tranches,
      sms_due_soon: body.sms_due_soon ?? earlier.sms_due_soon,
      language: body.language ?? earlier.language,
    }
    await savePreferences(sql, { borrower_id: borrowerId, ...chosen })
    return chosen
  })
}
