import type { CodeStatus } from '#contract/auth.ts'
import { toDay } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { textDelayMs, untilDayMs } from '#domain/notices.ts'
import type { SmsSender } from './adapters/sms/sms.ts'
import { syncRecurringPayment } from './autopay/sync-by-name.ts'
import { saveMessageStatus } from './auth/sign-in-store.ts'
import type { Context } from './context.ts'
import { reconcileDay } from './payments/reconciliation/reconcile-day.ts'
import { submitRefund } from './payments/refunds/submit-refund.ts'
import type { JobHandlers } from './jobs/jobs.ts'

/**
 * The waits before the text of a notice is sent again that the carrier may have sent already: it
 * comes three times at most, and an outage of some hours loses none.
 */
const mayBeSentWaitsMs = [hourMs, 8 * hourMs]

/** Creates the handlers of all job queues. */
export function createJobHandlers(context: Context, sms: SmsSender): JobHandlers {
  return {
    'send-sms': async ({ to, text, code, templateId, tokenHash, expiresAt }, { isLast }) => {
      const recordStatus = async (status: CodeStatus) => {
        if (tokenHash === undefined) return
        await context.database.asSystem((sql) => saveMessageStatus(sql, Buffer.from(tokenHash, 'base64'), status))
      }
      if (context.clock.now() >= new Date(expiresAt)) {
        context.log.warn('text message dropped: its code expired before it was sent')
        return recordStatus('failed')
      }
      const outcome = await sms.send({ to, text, code, templateId: templateId ?? null })
      if (outcome === 'sent') return recordStatus('sent')
      if (isLast) await recordStatus('failed')
      throw new Error(`The text message was not sent: ${outcome.failed}`)
    },
    'send-notice': async ({ kind, expiresAt, uncertain = 0, ...message }) => {
      if (context.clock.now() >= new Date(expiresAt))
        return context.log.warn('text message of a notice dropped: it could not be sent for a day')
      const now = context.clock.now()
      if ((uncertain > 0 ? untilDayMs(now) : textDelayMs(kind, now)) > 0)
        throw new Error('The text message could not be sent by day, and waits for the morning')
      const outcome = await sms.send({ ...message, code: null })
      if (outcome === 'sent') return
      if (!outcome.mayBeSent) throw new Error(`The text message was not sent: ${outcome.failed}`)
      const waitMs = mayBeSentWaitsMs[uncertain]
      if (waitMs === undefined)
        return context.log.warn({ reason: outcome.failed }, 'text message of a notice may have been sent; it is not sent again')
      context.log.warn({ reason: outcome.failed }, 'text message of a notice may have been sent; it is sent again in some hours')
      const again = { ...message, kind, expiresAt, uncertain: uncertain + 1 }
      // Nobody waits for it any more: it comes by day.
      const delayMs = waitMs + untilDayMs(new Date(now.getTime() + waitMs))
      await context.database.asSystem((sql) => context.jobs.enqueue(sql, 'send-notice', again, { delayMs }))
    },
    'send-refund': (key) => submitRefund(context, key),
    reconcile: async ({ day }) => {
      await reconcileDay(context, toDay(day), syncRecurringPayment)
    },
  }
}
