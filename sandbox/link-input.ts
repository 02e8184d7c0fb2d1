import type { SandboxConfig } from './config.ts'
import type { Link, Method, Notes } from './entities.ts'
import { allMethods } from './instruments.ts'
import { ownTexts, ProviderError, providerTexts } from './errors.ts'
import { linkLifeMaxSeconds } from './link-state.ts'

/** A parsed request body: JSON, or a form whose `a[b]=c` became nested maps. */
export type Body = Readonly<Record<string, unknown>>

/** Minimum time between creation and expiry, seconds. */
const expireByMinSeconds = 15 * 60

const createFields = [
  'amount',
  'currency',
  'accept_partial',
  'first_min_partial_amount',
  'upi_link',
  'description',
  'reference_id',
  'customer',
  'expire_by',
  'notify',
  'notes',
  'callback_url',
  'callback_method',
  'reminder_enable',
  'options',
]
const editFields = ['accept_partial', 'reference_id', 'expire_by', 'notes', 'reminder_enable']

/** The fields of a valid create request. */
export type LinkInput = Pick<
  Link,
  | 'amount'
  | 'currency'
  | 'accept_partial'
  | 'first_min_partial_amount'
  | 'description'
  | 'reference_id'
  | 'customer'
  | 'expire_by'
  | 'notify'
  | 'notes'
  | 'callback_url'
  | 'callback_method'
  | 'reminder_enable'
  | 'methods'
  | 'upi_link'
>

/** Checks a create request; throws {@link ProviderError} with the provider's text. */
export function createInput(
  body: Body,
  now: number,
  { amountMaxPaise, allowUpiLinks }: Pick<SandboxConfig, 'amountMaxPaise' | 'allowUpiLinks'>,
): LinkInput {
  onlyFields(body, createFields)
  const amount = amountOf(body['amount'], amountMaxPaise)
  const currency = text(body, 'currency', 3) || 'INR'
  const accept_partial = flag(body['accept_partial'], 'accept_partial', false)
  const upi_link = flag(body['upi_link'], 'upi_link', false)
  if (upi_link) {
    if (currency !== 'INR') throw new ProviderError(providerTexts.upiCurrency, 'currency')
    if (accept_partial) throw new ProviderError(providerTexts.upiPartial, 'accept_partial')
    if (!allowUpiLinks) throw new ProviderError(providerTexts.upiLinkTestMode, 'upi_link')
  }
  if (currency !== 'INR') throw new ProviderError(ownTexts.invalid('currency'), 'currency')
  return {
    amount,
    currency,
    accept_partial,
    first_min_partial_amount: firstPartial(body, accept_partial, amount),
    description: text(body, 'description', 2048),
    reference_id: text(body, 'reference_id', 40),
    customer: customerOf(body['customer']),
    expire_by: expireByOf(body['expire_by'], now),
    notify: notifyOf(body['notify']),
    notes: notesOf(body['notes']),
    ...callbackOf(body),
    reminder_enable: flag(body['reminder_enable'], 'reminder_enable', false),
    methods: upi_link ? ['upi'] : methodsOf(body['options']),
    upi_link,
  }
}

/** Checks an update. @returns only the fields that the request names. */
export function editInput(body: Body, now: number): Partial<LinkInput> {
  onlyFields(body, editFields)
  const has = (field: string): boolean => body[field] !== undefined
  return {
    ...(has('accept_partial') ? { accept_partial: flag(body['accept_partial'], 'accept_partial', false) } : {}),
    ...(has('reference_id') ? { reference_id: text(body, 'reference_id', 40) } : {}),
    ...(has('expire_by') ? { expire_by: expireByOf(body['expire_by'], now) } : {}),
    ...(has('notes') ? { notes: notesOf(body['notes']) } : {}),
    ...(has('reminder_enable') ? { reminder_enable: flag(body['reminder_enable'], 'reminder_enable', false) } : {}),
  }
}

/** Refuses fields the provider does not know. */
export function onlyFields(body: Body, known: readonly string[]): void {
  const unknown = Object.keys(body).find((field) => !known.includes(field))
  if (unknown !== undefined) throw new ProviderError(providerTexts.wrongFields, unknown)
}

/** An amount in paise: a whole number from 100 to the configured limit. */
export function amountOf(value: unknown, amountMaxPaise: number): number {
  if (value === undefined || value === null) throw new ProviderError(providerTexts.required('amount'), 'amount')
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new ProviderError(providerTexts.amountInteger, 'amount')
  }
  if (value < 100) throw new ProviderError(providerTexts.amountMin, 'amount')
  if (value > amountMaxPaise) throw new ProviderError(ownTexts.amountMax, 'amount')
  return value
}

/** Notes: at most 15 pairs, each value at most 255 characters; null when not given. */
export function notesOf(value: unknown): Notes | null {
  if (value === undefined || value === null) return null
  if (Array.isArray(value) && value.length === 0) return {}
  if (!isMap(value) || Object.keys(value).length > 15) {
    throw new ProviderError(ownTexts.invalid('notes'), 'notes')
  }
  for (const note of Object.values(value)) {
    if (typeof note !== 'string' && typeof note !== 'number') {
      throw new ProviderError(ownTexts.invalid('notes'), 'notes')
    }
    if (String(note).length > 255) throw new ProviderError(providerTexts.tooLong('value', 255), 'notes')
  }
  return value as Notes
}

function firstPartial(body: Body, acceptPartial: boolean, amount: number): number {
  const value = body['first_min_partial_amount']
  if (value === undefined || value === null) return acceptPartial ? 100 : 0
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value)
  if (!isWhole || value < 0 || value > amount || (value > 0 && !acceptPartial)) {
    throw new ProviderError(ownTexts.invalid('first_min_partial_amount'), 'first_min_partial_amount')
  }
  return value
}

function expireByOf(value: unknown, now: number): number {
  if (value === undefined || value === null || value === 0) return 0
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new ProviderError(ownTexts.invalid('expire_by'), 'expire_by')
  }
  if (value < now + expireByMinSeconds) throw new ProviderError(providerTexts.expireBySoon, 'expire_by')
  if (value > now + linkLifeMaxSeconds) throw new ProviderError(ownTexts.expireByFar, 'expire_by')
  return value
}

function customerOf(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (Array.isArray(value) && value.length === 0) return {}
  if (!isMap(value)) throw new ProviderError(ownTexts.invalid('customer'), 'customer')
  onlyFields(value, ['name', 'email', 'contact'])
  const email = text(value, 'email', 255)
  const contact = text(value, 'contact', 32)
  if (email && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new ProviderError(ownTexts.invalid('email'), 'email')
  }
  if (contact && !/^\+?\d{8,15}$/.test(contact)) {
    throw new ProviderError(ownTexts.invalid('contact'), 'contact')
  }
  const name = text(value, 'name', 255)
  return { ...(name && { name }), ...(email && { email }), ...(contact && { contact }) }
}

function notifyOf(value: unknown): Link['notify'] {
  if (value === undefined || value === null) return { email: false, sms: false, whatsapp: false }
  if (!isMap(value)) throw new ProviderError(ownTexts.invalid('notify'), 'notify')
  onlyFields(value, ['email', 'sms', 'whatsapp'])
  return {
    email: flag(value['email'], 'email', false),
    sms: flag(value['sms'], 'sms', false),
    whatsapp: flag(value['whatsapp'], 'whatsapp', false),
  }
}

/** The enabled methods: `options.checkout.method` disables one by `{"card": "0"}`. */
function methodsOf(options: unknown): readonly Method[] {
  const checkout = isMap(options) ? options['checkout'] : undefined
  const wanted = isMap(checkout) && isMap(checkout['method']) ? checkout['method'] : {}
  const isOff = (value: unknown): boolean => value === false || value === 0 || value === '0'
  const methods = allMethods.filter((method) => !isOff(wanted[method]))
  if (methods.length === 0) throw new ProviderError(ownTexts.invalid('options'), 'options')
  return methods
}

function callbackOf(body: Body): { callback_url: string; callback_method: string } {
  const callback_url = text(body, 'callback_url', 2048)
  const callback_method = text(body, 'callback_method', 10)
  if (callback_url && !(URL.canParse(callback_url) && /^https?:/.test(callback_url))) {
    throw new ProviderError(ownTexts.invalid('callback_url'), 'callback_url')
  }
  if (callback_url && !callback_method) {
    throw new ProviderError(providerTexts.required('callback_method'), 'callback_method')
  }
  if (callback_method && (callback_method !== 'get' || !callback_url)) {
    throw new ProviderError(ownTexts.invalid('callback_method'), 'callback_method')
  }
  return { callback_url, callback_method }
}

/** A text of at most `max` characters; '' when not given. */
export function text(body: Body, field: string, max: number): string {
  const value = body[field]
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new ProviderError(ownTexts.invalid(field), field)
  if (value.length > max) throw new ProviderError(providerTexts.tooLong(field, max), field)
  return value
}

function flag(value: unknown, field: string, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback
  if (value === true || value === 1) return true
  if (value === false || value === 0) return false
  throw new ProviderError(ownTexts.invalid(field), field)
}

export function isMap(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
