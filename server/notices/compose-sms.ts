import type { Config } from '../config/config.ts'
import { fillTemplate, type SmsLanguage, type SmsMessage, type SmsValues } from '../config/sms-templates.ts'

/** A composed text message. `templateId` is null only for the demo's outbox. */
export type ComposedSms = { text: string; templateId: string | null }

/**
 * Composes a message in a language.
 *
 * @returns null if the carrier is real and the message has no registered DLT template: the network
 * would drop it silently.
 */
export function composeSms<M extends SmsMessage>(
  { sms, smsTemplates }: Pick<Config, 'sms' | 'smsTemplates'>,
  message: M,
  language: SmsLanguage,
  values: SmsValues<M>,
): ComposedSms | null {
  const { text, templateId } = smsTemplates[message][language]
  if (sms !== null && templateId === null) return null
  return { text: fillTemplate(text, values), templateId }
}
