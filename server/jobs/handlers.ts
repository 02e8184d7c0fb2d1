import type { Logger } from 'pino'
import type { SmsSender } from '../adapters/sms/sms.ts'
import type { Clock } from '../clock.ts'
import type { JobHandlers } from './jobs.ts'

/** Everything that is done in the background. */
export function createJobHandlers({ sms, clock, log }: { sms: SmsSender; clock: Clock; log: Logger }): JobHandlers {
  return {
    'send-sms': async ({ to, text, code, expiresAt }) => {
      if (clock.now() >= new Date(expiresAt)) return log.warn('a text message was dropped: its code expired before it could leave')
      const outcome = await sms.send({ to, text, code })
      if (outcome !== 'sent') throw new Error(`The text message did not leave: ${outcome.failed}`)
    },
  }
}
