import { toDay } from '#domain/calendar.ts'
import type { SmsSender } from '../adapters/sms/sms.ts'
import type { Context } from '../context.ts'
import { reconcileDay } from '../payments/reconcile-day.ts'
import { sendRefund } from '../payments/send-refund.ts'
import type { JobHandlers } from './jobs.ts'

/** Everything that is done in the background. */
export function createJobHandlers(context: Context, sms: SmsSender): JobHandlers {
  return {
    'send-sms': async ({ to, text, code, expiresAt }) => {
      if (context.clock.now() >= new Date(expiresAt))
        return context.log.warn('a text message was dropped: its code expired before it could leave')
      const outcome = await sms.send({ to, text, code })
      if (outcome !== 'sent') throw new Error(`The text message did not leave: ${outcome.failed}`)
    },
    'send-refund': (key) => sendRefund(context, key),
    reconcile: async ({ day }) => {
      await reconcileDay(context, toDay(day))
    },
  }
}
