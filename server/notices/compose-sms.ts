import type { Config } from '../config/config.ts'
import { fillTemplate, type SmsLanguage, type SmsMessage, type SmsValues } from '../config/sms-templates.ts'

/** A text message as it is handed to the carrier. `templateId` is null for the demo's outbox alone. */
export type ComposedSms = { text: string; templateId: string | null }

/**
 * Writes a message in a language.
 *
 * @returns null where the carrier is real and no DLT template is registered for it: the network would drop the message unseen.
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
