import type { SandboxConfig } from '../config.ts'
import { ownTexts, ProviderError, providerTexts } from '../errors.ts'
import { isMap, notesOf, onlyFields, text, type Body } from '../link-input.ts'
import { authTypes, type BankAccount, type Customer, type MandateTerms, type Notification, type Registration } from './entities.ts'

/** Checks of the recurring calls; each throws {@link ProviderError} with the provider's text. */

/** Minimum time between creation and expiry of a registration link, seconds. */
const expireByMinSeconds = 15 * 60
const yearSeconds = 366 * 24 * 60 * 60
/** The longest life of a mandate. */
const lifeMaxSeconds = { upi: 30 * yearSeconds, emandate: 40 * yearSeconds }
const emandateMaxPaise = 1_00_00_000_00
const upiFrequencies = ['as_presented', 'daily', 'weekly', 'monthly', 'quarterly', 'yearly']

export type CustomerInput = Pick<Customer, 'name' | 'email' | 'contact' | 'gstin' | 'notes'>

export type RegistrationInput = Pick<
  Registration,
  | 'name'
  | 'email'
  | 'contact'
  | 'receipt'
  | 'amount'
  | 'currency'
  | 'description'
  | 'notes'
  | 'terms'
  | 'is_sms_sent'
  | 'is_email_sent'
  | 'expire_by'
>

export function registrationInput(body: Body, now: number, config: SandboxConfig): RegistrationInput {
  onlyFields(body, [
    'customer',
    'type',
    'amount',
    'currency',
    'description',
    'subscription_registration',
    'receipt',
    'expire_by',
    'sms_notify',
    'email_notify',
    'notes',
  ])
  if (required(body, 'type') !== 'link') throw new ProviderError(ownTexts.invalid('type'), 'type')
  const customer = mapOf(body, 'customer')
  onlyFields(customer, ['name', 'email', 'contact'])
  const terms = termsOf(mapOf(body, 'subscription_registration'), now, config)
  const amount = wholeOf(body, 'amount')
  const rightAmount = terms.method === 'upi' ? 100 : 0
  if (amount !== rightAmount) throw new ProviderError(ownTexts.registrationAmount(terms.method, rightAmount), 'amount')
  return {
    ...addressesOf(customer),
    receipt: text(body, 'receipt', 40),
    amount,
    currency: rupeesOf(body),
    description: required(body, 'description', 2048),
    notes: notesOf(body['notes']),
    terms,
    is_sms_sent: isOn(body['sms_notify']),
    is_email_sent: isOn(body['email_notify']),
    expire_by: expireByOf(body, now),
  }
}

export function customerInput(body: Body): CustomerInput & { readonly isExistingTaken: boolean } {
  onlyFields(body, ['name', 'email', 'contact', 'gstin', 'notes', 'fail_existing'])
  return {
    ...addressesOf(body),
    gstin: text(body, 'gstin', 15) || null,
    notes: notesOf(body['notes']),
    isExistingTaken: ['0', 0, false].some((no) => body['fail_existing'] === no),
  }
}

export type OrderInput = {
  readonly amount: number
  readonly currency: string
  readonly receipt: string
  readonly notes: Registration['notes']
  readonly notification: Pick<Notification, 'token_id' | 'payment_after'> | null
}

export function orderInput(body: Body, nowSeconds: number, config: SandboxConfig): OrderInput {
  onlyFields(body, ['amount', 'currency', 'payment_capture', 'receipt', 'notes', 'notification', 'token_id', 'customer_id', 'method'])
  if (body['token_id'] !== undefined && config.refuseOrderTokenId) throw new ProviderError(ownTexts.notAsked('token_id'), 'token_id')
  return {
    amount: debitAmountOf(body),
    currency: rupeesOf(body),
    receipt: text(body, 'receipt', 40),
    notes: notesOf(body['notes']),
    notification: body['notification'] === undefined ? null : notificationOf(mapOf(body, 'notification'), nowSeconds),
  }
}

function notificationOf(body: Body, nowSeconds: number): OrderInput['notification'] {
  onlyFields(body, ['token_id', 'payment_after'])
  const payment_after = wholeOf(body, 'payment_after')
  if (payment_after <= nowSeconds) throw new ProviderError(ownTexts.paymentAfter, 'payment_after')
  return { token_id: required(body, 'token_id'), payment_after }
}

export type DebitInput = {
  readonly email: string
  readonly contact: string
  readonly amount: number
  readonly order_id: string
  readonly customer_id: string
  readonly token: string
  readonly description: string
  readonly notes: Registration['notes']
}

export function debitInput(body: Body): DebitInput {
  onlyFields(body, ['email', 'contact', 'amount', 'currency', 'order_id', 'customer_id', 'token', 'recurring', 'description', 'notes'])
  if (!isOn(body['recurring'])) throw new ProviderError(ownTexts.invalid('recurring'), 'recurring')
  rupeesOf(body)
  return {
    email: required(body, 'email'),
    contact: digitsOf(body, 'contact'),
    amount: debitAmountOf(body),
    order_id: required(body, 'order_id'),
    customer_id: required(body, 'customer_id'),
    token: required(body, 'token'),
    description: text(body, 'description', 2048),
    notes: notesOf(body['notes']),
  }
}

function termsOf(body: Body, now: number, config: SandboxConfig): MandateTerms {
  onlyFields(body, ['method', 'auth_type', 'max_amount', 'expire_at', 'frequency', 'bank_account'])
  const method = required(body, 'method')
  if (method !== 'upi' && method !== 'emandate') throw new ProviderError(ownTexts.invalid('method'), 'method')
  const max_amount = wholeOf(body, 'max_amount')
  if (max_amount < 100) throw new ProviderError(providerTexts.debitMin, 'max_amount')
  if (max_amount > (method === 'upi' ? config.upiMandateMaxPaise : emandateMaxPaise)) {
    throw new ProviderError(providerTexts.debitMax, 'max_amount')
  }
  const expire_at = wholeOf(body, 'expire_at')
  if (expire_at <= now || expire_at > now + lifeMaxSeconds[method]) throw new ProviderError(ownTexts.invalid('expire_at'), 'expire_at')
  return { method, max_amount, expire_at, ...(method === 'upi' ? upiTermsOf(body) : emandateTermsOf(body)) }
}

type MethodTerms = Pick<MandateTerms, 'auth_type' | 'frequency' | 'bank_account'>

function upiTermsOf(body: Body): MethodTerms {
  const frequency = text(body, 'frequency', 20) || 'as_presented'
  if (!upiFrequencies.includes(frequency)) throw new ProviderError(ownTexts.invalid('frequency'), 'frequency')
  return { auth_type: null, frequency, bank_account: null }
}

function emandateTermsOf(body: Body): MethodTerms {
  const auth_type = authTypes.find((one) => one === body['auth_type'])
  if (auth_type === undefined) throw new ProviderError(ownTexts.invalid('auth_type'), 'auth_type')
  return { auth_type, frequency: null, bank_account: bankAccountOf(mapOf(body, 'bank_account')) }
}

function bankAccountOf(body: Body): BankAccount {
  onlyFields(body, ['beneficiary_name', 'account_number', 'account_type', 'ifsc_code'])
  const checked = (field: string, form: RegExp): string => {
    const value = digitsOf(body, field)
    if (!form.test(value)) throw new ProviderError(ownTexts.invalid(field), field)
    return value
  }
  const account_type = body['account_type'] ?? 'savings'
  if (account_type !== 'savings' && account_type !== 'current') throw new ProviderError(ownTexts.invalid('account_type'), 'account_type')
  return {
    beneficiary_name: checked('beneficiary_name', /^.{4,120}$/),
    account_number: checked('account_number', /^[A-Za-z0-9]{5,20}$/),
    ifsc: checked('ifsc_code', /^[A-Z]{4}0[A-Z0-9]{6}$/),
    account_type,
  }
}

function addressesOf(body: Body): Pick<Customer, 'name' | 'email' | 'contact'> {
  const email = required(body, 'email')
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new ProviderError(ownTexts.invalid('email'), 'email')
  const contact = digitsOf(body, 'contact')
  if (!/^\+?\d{8,15}$/.test(contact)) throw new ProviderError(ownTexts.invalid('contact'), 'contact')
  return { name: required(body, 'name'), email, contact }
}

function expireByOf(body: Body, now: number): number | null {
  if (body['expire_by'] === undefined || body['expire_by'] === null) return null
  const expireBy = wholeOf(body, 'expire_by')
  if (expireBy < now + expireByMinSeconds) throw new ProviderError(ownTexts.invoiceExpireBy, 'expire_by')
  return expireBy
}

function debitAmountOf(body: Body): number {
  const amount = wholeOf(body, 'amount')
  if (amount < 100) throw new ProviderError(providerTexts.debitMin, 'amount')
  return amount
}

function rupeesOf(body: Body): string {
  if (required(body, 'currency') !== 'INR') throw new ProviderError(providerTexts.debitCurrency, 'currency')
  return 'INR'
}

function required(body: Body, field: string, max = 255): string {
  const value = text(body, field, max)
  if (value === '') throw new ProviderError(providerTexts.required(field), field)
  return value
}

/** A text, or a number in place of a text of digits, as in the published samples. */
function digitsOf(body: Body, field: string): string {
  const value = body[field]
  return required(typeof value === 'number' ? { [field]: String(value) } : body, field)
}

/** A whole number from 0; the published samples also write it as a text. */
function wholeOf(body: Body, field: string): number {
  const value = body[field]
  if (value === undefined || value === null) throw new ProviderError(providerTexts.required(field), field)
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw new ProviderError(field === 'amount' ? providerTexts.amountInteger : ownTexts.invalid(field), field)
}

function mapOf(body: Body, field: string): Body {
  const value = body[field]
  if (value === undefined || value === null) throw new ProviderError(providerTexts.required(field), field)
  if (!isMap(value)) throw new ProviderError(ownTexts.invalid(field), field)
  return value
}

/** The provider takes true, 1 and "1". */
function isOn(value: unknown): boolean {
  return ['1', 1, true].some((yes) => value === yes)
}
