import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod/mini'
import type { Settings } from './settings.ts'

export const smsLanguages = ['en', 'hi'] as const
export type SmsLanguage = (typeof smsLanguages)[number]

/**
 * Every text message with the variables that its text may contain. `sign_in_code` is every OTP,
 * also the one that ends autopay; it requires `code`.
 */
const templateVariables = {
  sign_in_code: ['code', 'brand', 'host'],
  payment_applied: ['brand', 'amount', 'loan'],
  foreclosure_short: ['brand', 'amount', 'date', 'loan'],
  refund_asked: ['brand', 'amount', 'loan'],
  refund_processed: ['brand', 'amount', 'loan'],
  payment_reversed: ['brand', 'amount', 'loan'],
  payment_not_captured: ['brand', 'amount', 'loan'],
  charge_added: ['brand', 'amount', 'loan'],
  late_charge: ['brand', 'amount', 'date', 'loan'],
  loan_closed: ['brand', 'loan'],
  due_soon: ['brand', 'amount', 'date', 'loan'],
  autopay_announced: ['brand', 'amount', 'date', 'loan'],
  autopay_debited: ['brand', 'amount', 'loan'],
  autopay_failed: ['brand', 'amount', 'date', 'loan'],
  autopay_skipped: ['brand', 'amount', 'date', 'loan'],
  autopay_cap_too_low: ['brand', 'amount', 'date', 'loan'],
  autopay_ended: ['brand', 'loan'],
  tranche_approved: ['brand', 'amount', 'loan'],
  tranche_released: ['brand', 'amount', 'date', 'loan'],
  tranche_rejected: ['brand', 'amount', 'loan'],
  rate_reset_notified: ['brand', 'amount', 'date', 'loan'],
  rate_reset_defaulted: ['brand', 'amount', 'date', 'loan'],
  rate_reset_recomputed: ['brand', 'amount', 'date', 'loan'],
  rate_reset_withdrawn: ['brand', 'date', 'loan'],
  emi_start: ['brand', 'amount', 'date', 'loan'],
} as const
export type SmsMessage = keyof typeof templateVariables
export const smsMessages = Object.keys(templateVariables) as SmsMessage[]
export type SmsValues<M extends SmsMessage> = Record<(typeof templateVariables)[M][number], string>

/**
 * The default texts. English fits one message of 160 characters. A text shows only the last four
 * characters of the loan number, requests nothing and contains no link.
 */
const builtInTexts: Record<SmsMessage, Record<SmsLanguage, string>> = {
  sign_in_code: {
    en: '{code} is your {brand} OTP, valid for 5 minutes. Do not share it with anyone: we never ask for it.\n\n@{host} #{code}',
    hi: '{code} आपका {brand} OTP है, 5 मिनट के लिए मान्य। इसे किसी को न बताएँ: हम इसे कभी नहीं माँगते।\n\n@{host} #{code}',
  },
  payment_applied: {
    en: 'We received Rs {amount} for your loan ending {loan}. It is in your account with us now. Thank you. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के लिए रु {amount} प्राप्त हुए और खाते में जमा हो गए। धन्यवाद। - {brand}',
  },
  foreclosure_short: {
    en: 'Your payment did not close the loan ending {loan}: Rs {amount} was still due on {date}. See the portal. - {brand}',
    hi: 'आपका लोन (अंतिम अंक {loan}) इस भुगतान से बंद नहीं हुआ: {date} को रु {amount} और देय थे। पोर्टल देखें। - {brand}',
  },
  refund_asked: {
    en: 'Rs {amount} paid for your loan ending {loan} was not needed. We are sending it back to where it came from. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के लिए दिए गए रु {amount} की आवश्यकता नहीं थी। राशि उसी खाते में वापस भेजी जा रही है। - {brand}',
  },
  refund_processed: {
    en: 'We sent back Rs {amount} of your loan ending {loan}. Your bank shows it within a few working days. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के रु {amount} वापस भेज दिए गए। कुछ कार्य दिवसों में आपके बैंक खाते में दिखेंगे। - {brand}',
  },
  payment_reversed: {
    en: 'Your payment of Rs {amount} for your loan ending {loan} was reversed and no longer counts. See the portal for what is due. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) का रु {amount} का भुगतान रिवर्स हुआ और अब नहीं गिना जाता। देय राशि पोर्टल पर देखें। - {brand}',
  },
  payment_not_captured: {
    en: 'Your payment of Rs {amount} for your loan ending {loan} was approved too late and goes back to where it came from. See the portal for what is due. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) का रु {amount} का भुगतान देर से स्वीकृत हुआ। राशि उसी खाते में वापस जाएगी। देय राशि पोर्टल पर देखें। - {brand}',
  },
  charge_added: {
    en: 'A charge of Rs {amount} was added to your loan ending {loan}. See the portal for what it is for. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) में रु {amount} का शुल्क जोड़ा गया। यह किस बात का है, पोर्टल पर देखें। - {brand}',
  },
  late_charge: {
    en: 'The instalment of {date} of your loan ending {loan} was not paid in time. A late charge of Rs {amount} was added. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) की {date} को देय किस्त समय पर नहीं चुकाई गई। रु {amount} का विलंब शुल्क जोड़ा गया। - {brand}',
  },
  loan_closed: {
    en: 'Your loan ending {loan} is closed. Download the closure certificate in the portal under Documents. - {brand}',
    hi: 'आपका लोन (अंतिम अंक {loan}) बंद हो गया है। लोन बंद होने का प्रमाण पत्र पोर्टल पर ‘दस्तावेज़’ में डाउनलोड करें। - {brand}',
  },
  due_soon: {
    en: 'Rs {amount} of your loan ending {loan} falls due on {date}. Please pay in the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के रु {amount} दिनांक {date} को देय हैं। कृपया पोर्टल पर भुगतान करें। - {brand}',
  },
  autopay_announced: {
    en: 'Rs {amount} of your loan ending {loan} will be debited by autopay on {date}. To skip or pause it, see the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के रु {amount} दिनांक {date} को ऑटोपे से कटेंगे। छोड़ने या रोकने के लिए पोर्टल देखें। - {brand}',
  },
  autopay_debited: {
    en: 'Rs {amount} was debited by autopay for your loan ending {loan}. The receipt is in the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के लिए ऑटोपे से रु {amount} काटे गए। रसीद पोर्टल पर है। - {brand}',
  },
  autopay_failed: {
    en: 'The autopay debit of Rs {amount} on {date} for your loan ending {loan} failed. See the portal to pay. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के लिए {date} को रु {amount} की ऑटोपे कटौती नहीं हो सकी। भुगतान के लिए पोर्टल देखें। - {brand}',
  },
  autopay_skipped: {
    en: 'Rs {amount} of your loan ending {loan} will not be debited by autopay on {date}. The reason is in the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के रु {amount} दिनांक {date} को ऑटोपे से नहीं कटेंगे। कारण पोर्टल पर देखें। - {brand}',
  },
  autopay_cap_too_low: {
    en: 'Rs {amount} of your loan ending {loan}, due on {date}, is above your autopay limit. Please pay in the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के {date} को देय रु {amount} ऑटोपे की सीमा से अधिक हैं। कृपया पोर्टल पर भुगतान करें। - {brand}',
  },
  // Also of a mandate that the bank rejected, which never began.
  autopay_ended: {
    en: 'Autopay of your loan ending {loan} is not active. Nothing will be debited, except a debit in progress. Pay instalments in the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) का ऑटोपे चालू नहीं है। जो कटौती चल रही है, उसके सिवा कुछ नहीं कटेगा। किस्तें पोर्टल पर चुकाएँ। - {brand}',
  },
  tranche_approved: {
    en: 'Your disbursal of Rs {amount} of the loan ending {loan} is approved. We will inform you when it is paid out. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) में रु {amount} जारी करने का अनुरोध स्वीकृत हो गया है। राशि जारी होने पर सूचना दी जाएगी। - {brand}',
  },
  tranche_released: {
    en: 'Rs {amount} of your loan ending {loan} was paid out on {date}. See the new schedule in the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) के रु {amount} दिनांक {date} को जारी किए गए। नई भुगतान सारणी पोर्टल पर देखें। - {brand}',
  },
  tranche_rejected: {
    en: 'Your disbursal of Rs {amount} of the loan ending {loan} was not approved. Please ask us why. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) में रु {amount} जारी करने का अनुरोध स्वीकृत नहीं हुआ। कारण जानने के लिए हमसे संपर्क करें। - {brand}',
  },
  rate_reset_notified: {
    en: 'The interest rate of your loan ending {loan} changes on {date}. Choose EMI or tenor in the portal before that day. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) की ब्याज दर {date} से बदलेगी। उससे पहले पोर्टल पर ईएमआई या अवधि चुनें। - {brand}',
  },
  rate_reset_defaulted: {
    en: 'The new interest rate of your loan ending {loan} counts from {date}. Your EMI is Rs {amount}. See the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) की नई ब्याज दर {date} से लागू होगी। आपकी ईएमआई रु {amount} है। पोर्टल देखें। - {brand}',
  },
  rate_reset_recomputed: {
    en: 'Your loan ending {loan} has changed. At the new rate from {date} your EMI is Rs {amount}. See the portal for the last EMI. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) में बदलाव हुआ है। {date} से नई दर पर ईएमआई रु {amount} होगी। अंतिम ईएमआई पोर्टल पर देखें। - {brand}',
  },
  rate_reset_withdrawn: {
    en: 'The interest rate of your loan ending {loan} does not change on {date}. We have withdrawn the change. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) की ब्याज दर {date} को नहीं बदलेगी। बदलाव वापस ले लिया गया है। - {brand}',
  },
  emi_start: {
    en: 'The EMIs of your loan ending {loan} begin on {date}: the first is Rs {amount}. See the portal. - {brand}',
    hi: 'आपके लोन (अंतिम अंक {loan}) की ईएमआई {date} से शुरू होंगी: पहली ईएमआई रु {amount} है। पोर्टल देखें। - {brand}',
  },
}

/**
 * A message in one language: its text with `{variables}` and the id of its DLT template; null: not
 * registered.
 */
type SmsTemplate = { text: string; templateId: string | null }
export type SmsTemplates = Record<SmsMessage, Record<SmsLanguage, SmsTemplate>>

type Issue = { code?: string | undefined; keys?: readonly string[] }
const error = ({ code, keys = [] }: Issue) =>
  code === 'unrecognized_keys' ? `has ${keys.map((key) => `"${key}"`).join(', ')}, which Kist does not support` : 'must be an object'
const idFault = 'must be the number of a registered template, as text of 15 to 20 digits'
const entry = z.strictObject(
  {
    template_id: z.string(idFault).check(z.regex(/^[0-9]{15,20}$/, idFault)),
    text: z.optional(z.string('must be text').check(z.minLength(1, 'must not be empty'))),
  },
  { error },
)
const languages = z.strictObject({ en: z.optional(entry), hi: z.optional(entry) }, { error })
const file = z.strictObject(Object.fromEntries(smsMessages.map((message) => [message, z.optional(languages)])), { error })
type Entry = z.output<typeof entry>

/**
 * Reads the text and template id of every message from the file in `KIST_SMS_TEMPLATES`,
 * `{"MESSAGE":{"en":{"template_id","text"},"hi":{…}}}`, where `text` defaults to the built-in one.
 * A sign-in code without an entry has the English text and `MSG91_DLT_TEMPLATE_ID` in both
 * languages.
 *
 * @returns the templates and all faults of the file.
 */
export function readSmsTemplates(values: Settings): { templates: SmsTemplates; faults: string[] } {
  const { entries, faults } = readFile(values.KIST_SMS_TEMPLATES)
  const resolve = (message: SmsMessage, language: SmsLanguage): SmsTemplate => {
    const given = entries[message]?.[language]
    if (message === 'sign_in_code' && !given)
      return { text: builtInTexts.sign_in_code.en, templateId: values.MSG91_DLT_TEMPLATE_ID ?? null }
    return { text: given?.text ?? builtInTexts[message][language], templateId: given?.template_id ?? null }
  }
  const templates = Object.fromEntries(
    smsMessages.map((message) => [message, { en: resolve(message, 'en'), hi: resolve(message, 'hi') }]),
  ) as SmsTemplates
  const ofText = smsMessages.flatMap((message) =>
    smsLanguages.flatMap((language) => findTextFaults(message, language, entries[message]?.[language]?.text)),
  )
  return { templates, faults: [...faults, ...ofText].map((fault) => `KIST_SMS_TEMPLATES: ${fault}`) }
}

/** Lists the messages without a registered template, such as `due_soon (hi)`. */
export function listUnregisteredMessages(templates: SmsTemplates): string[] {
  return smsMessages.flatMap((message) =>
    smsLanguages.filter((language) => templates[message][language].templateId === null).map((language) => `${message} (${language})`),
  )
}

/** Fills the variables of a text once; values are not expanded again. */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all)
}

type Entries = Partial<Record<SmsMessage, { en?: Entry | undefined; hi?: Entry | undefined }>>

function readFile(path: string | undefined): { entries: Entries; faults: string[] } {
  if (path === undefined) return { entries: {}, faults: [] }
  if (!existsSync(path)) return { entries: {}, faults: [`there is no file ${path}`] }
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return { entries: {}, faults: [`${path} is not JSON: ${(error as Error).message}`] }
  }
  const read = file.safeParse(json)
  if (read.success) return { entries: read.data as Entries, faults: [] }
  return { entries: {}, faults: read.error.issues.map((issue) => `${issue.path.join('.') || path}: ${issue.message}`) }
}

function findTextFaults(message: SmsMessage, language: SmsLanguage, text: string | undefined): string[] {
  if (text === undefined) return []
  const known: readonly string[] = templateVariables[message]
  const variables = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  const at = `${message}.${language}.text`
  return [
    ...[...new Set(variables)]
      .filter((name) => !known.includes(name))
      .map((name) => `${at} has {${name}}, which this message does not support: it has ${known.map((one) => `{${one}}`).join(', ')}`),
    ...(/[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, '')) ? [`${at} has an unmatched brace`] : []),
    ...(message === 'sign_in_code' && !variables.includes('code') ? [`${at} has no {code}`] : []),
  ]
}
