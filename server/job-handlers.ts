import { toDay } from '#domain/calendar.ts'
import type { SmsSender } from './adapters/sms/sms.ts'
import type { Context } from './context.ts'
import { reconcileDay } from './payments/reconciliation/reconcile-day.ts'
import { submitRefund } from './payments/refunds/submit-refund.ts'
import type { JobHandlers } from './jobs/jobs.ts'

/** Everything that is done in the background. */
export function createJobHandlers(context: Context, sms: SmsSender): JobHandlers {
  return {
    'send-sms': async ({ to, text, code, templateId, expiresAt }) => {
      if (context.clock.now() >= new Date(expiresAt))
        return context.log.warn('a text message was dropped: its code expired before it could leave')
      // A sign-in code that the version before enqueued has the one template that it knew.
      const earlier = code === null ? null : context.config.smsTemplates.sign_in_code.en.templateId
      const outcome = await sms.send({ to, text, code, templateId: templateId === undefined ? earlier : templateId })
      if (outcome !== 'sent') throw new Error(`The text message did not leave: ${outcome.failed}`)
    },
    'send-refund': (key) => submitRefund(context, key),
    reconcile: async ({ day }) => {
      await reconcileDay(context, toDay(day))
    },
  }
}
