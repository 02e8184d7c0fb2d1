import * as z from 'zod/mini'
import type { Msg91Options } from '../../config/config.ts'
import type { SmsSender } from './sms.ts'

const answer = z.object({ type: z.string() })

/** Errors of a request that reached nobody. After any other, the carrier may have the message. */
const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * The production SMS carrier MSG91: https://docs.msg91.com, "Send SMS (v2)". Each message names the
 * template under which its text is registered (`DLT_TE_ID`). If text and template differ, the
 * network drops the message without an error. A message without a template is therefore not sent.
 * The carrier's error texts may contain the phone and are not passed on.
 */
export function createMsg91(options: Msg91Options): SmsSender {
  return {
    async send({ to, text, templateId }) {
      if (templateId === null) return { failed: 'no DLT template is registered for this message' }
      try {
        const response = await fetch(`${options.baseUrl}/api/v2/sendsms`, {
          method: 'POST',
          headers: { authkey: options.authKey, 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({
            sender: options.sender,
            route: '4',
            country: '91',
            DLT_TE_ID: templateId,
            PE_ID: options.dltEntityId,
            // The carrier requires this flag for texts beyond ASCII.
            ...(/[^\n\x20-\x7e]/.test(text) && { unicode: 1 }),
            sms: [{ message: text, to: [to.replace(/^\+91/, '')] }],
          }),
          redirect: 'error',
          signal: AbortSignal.timeout(options.timeoutMs),
        })
        if (!response.ok) return { failed: `MSG91 answered ${response.status}`, ...(response.status >= 500 && { mayBeSent: true }) }
        const read = z.safeParse(answer, await response.json().catch(() => null))
        if (!read.success) return { failed: 'MSG91 gave an answer that cannot be read', mayBeSent: true }
        return read.data.type === 'success' ? 'sent' : { failed: 'MSG91 refused the message' }
      } catch (error) {
        const { name, cause } = error as Error
        if (name === 'TimeoutError') return { failed: 'MSG91 did not answer in time', mayBeSent: true }
        const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? name
        return { failed: `MSG91 could not be reached: ${reason}`, ...(!neverConnected.has(reason) && { mayBeSent: true }) }
      }
    },
  }
}
