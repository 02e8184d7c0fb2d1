import { toDay } from '#domain/calendar.ts'
import type { SmsSender } from './adapters/sms/sms.ts'
import type { Context } from './context.ts'
import { reconcileDay } from './payments/reconciliation/reconcile-day.ts'
import { submitRefund } from './payments/refunds/submit-refund.ts'
import type { JobHandlers } from './jobs/jobs.ts'

/** Creates the handlers of all job queues. */
export function createJobHandlers(context: Context, sms: SmsSender): JobHandlers {
  return {
    'send-sms': async ({ to, text, code, templateId, expiresAt }) => {
      if (context.clock.now() >= new Date(expiresAt)) return context.log.warn('text message dropped: its code expired before it was sent')
      // Jobs of the previous version have no template id; its only template was that of sign-in
      // codes.
      const previousTemplateId = code === null ? null : context.config.smsTemplates.sign_in_code.en.templateId
      const outcome = await sms.send({ to, text, code, templateId: templateId === undefined ? previousTemplateId : templateId })
      if (outcome !== 'sent') throw new Error(`The text message was not sent: ${outcome.failed}`)
    },
    'send-refund': (key) => submitRefund(context, key),
    reconcile: async ({ day }) => {
      await reconcileDay(context, toDay(day))
    },
  }
}
