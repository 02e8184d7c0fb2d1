import { cardByNumber, testCard } from './cards.ts'
import type { Link, Method } from './entities.ts'
import { rupees, type TextKey } from './hosted-texts.ts'
import { banks, cardOf, failureReasons, allMethods, failingVpa, testVpas, wallets } from './instruments.ts'
import { paymentOutcomes, type Outcome, type PayRequest } from './payments.ts'
import type { SandboxContext } from './context.ts'

/** The error of a field: a text and its placeholders. */
export type Wrong = { readonly key: TextKey; readonly blanks?: Readonly<Record<string, string>> }

/** The customer's input, shown again after an error; without card number and CVV. */
export type Typed = Readonly<Record<string, string>>

/** What the form asks for. */
type Order =
  | { readonly kind: 'wrong'; readonly fields: Readonly<Record<string, Wrong>> }
  /** Processed at once. */
  | { readonly kind: 'pay'; readonly request: PayRequest }
  /** Continues on the bank's page. */
  | { readonly kind: 'bank'; readonly request: PayRequest }
  | { readonly kind: 'twice'; readonly request: PayRequest }

const keptFields = [
  'part_amount',
  'method',
  'contact',
  'email',
  'vpa',
  'card_expiry',
  'card_name',
  'bank',
  'wallet',
  'transfer_amount',
  'reason',
]

export function typedOf(form: URLSearchParams): Typed {
  return Object.fromEntries(keptFields.flatMap((name) => (form.has(name) ? [[name, form.get(name) ?? '']] : [])))
}

/** Reads the form. A chosen test outcome needs no valid instrument. */
export function readForm(context: SandboxContext, link: Link, form: URLSearchParams): Order {
  const field = (name: string): string => (form.get(name) ?? '').trim()
  const method = allMethods.find((one) => one === field('method') && link.methods.includes(one)) ?? link.methods[0] ?? 'upi'
  const contact = phoneOf(field('contact'))
  const email = field('email')
  const wrong: Record<string, Wrong> = {
    ...(contact === null ? { contact: { key: 'phoneWrong' } } : {}),
    ...(email === '' || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? {} : { email: { key: 'emailWrong' } }),
  }
  const amount = link.accept_partial ? paiseOf(field('part_amount')) : undefined
  if (amount === null || !isPartWelcome(link, amount)) wrong['part_amount'] = { key: 'partWrong', blanks: partBounds(link) }
  const asked = field('outcome')
  const outcome: Outcome = paymentOutcomes.find((one) => one === asked) ?? 'success'
  const reason = failureReasons.find((one) => asked === 'failure_with_reason' && one === field('reason'))
  const base: PayRequest = { method, outcome, contact: contact ?? '', email, amount: amount ?? undefined }
  if (Object.keys(wrong).length > 0) return { kind: 'wrong', fields: wrong }
  if (asked === 'success_twice') return { kind: 'twice', request: base }
  if (asked === 'failure_with_reason') return { kind: 'pay', request: { ...base, outcome: 'failure', reason } }
  if (outcome !== 'success' && method !== 'upi') return { kind: 'pay', request: base }
  return readInstruments[method](context, base, field)
}

type Field = (name: string) => string
type Read = (context: SandboxContext, base: PayRequest, field: Field) => Order

const readInstruments: Readonly<Record<Method, Read>> = { upi, card, netbanking, wallet, bank_transfer: bankTransfer }

function upi(_world: SandboxContext, base: PayRequest, field: Field): Order {
  const vpa = field('vpa').toLowerCase()
  const isFailure = base.outcome === 'failure' || vpa === failingVpa
  if (isFailure) return { kind: 'pay', request: { ...base, outcome: 'failure', instrument: { vpa: failingVpa } } }
  if (!testVpas.includes(vpa)) return { kind: 'wrong', fields: { vpa: { key: 'vpaInvalid' } } }
  return { kind: 'pay', request: { ...base, instrument: { vpa } } }
}

/** Returns only the network and the last four digits of a card. */
function card(context: SandboxContext, base: PayRequest, field: Field): Order {
  const known = cardByNumber(field('card_number').replace(/[\s-]/g, ''))
  const digits = typeof known !== 'string' && known.network === 'American Express' ? 4 : 3
  const fields: Record<string, Wrong> = {}
  if (known === 'invalid') fields['card_number'] = { key: 'cardInvalid' }
  if (known === 'real') fields['card_number'] = { key: 'cardReal', blanks: { card: testCard } }
  if (!isLater(field('card_expiry'), context.clock.now())) fields['card_expiry'] = { key: 'cardExpiryWrong' }
  if (!new RegExp(`^\\d{${digits}}$`).test(field('card_cvv'))) {
    fields['card_cvv'] = { key: 'cardCvvWrong', blanks: { digits: String(digits) } }
  }
  if (typeof known === 'string' || Object.keys(fields).length > 0) return { kind: 'wrong', fields }
  const instrument = { card: cardOf(context.chance, known.network, known.last4) }
  return { kind: 'bank', request: { ...base, instrument, reason: known.reason ?? undefined } }
}

function netbanking(_world: SandboxContext, base: PayRequest, field: Field): Order {
  const bank = field('bank')
  if (!(bank in banks)) return { kind: 'wrong', fields: { bank: { key: 'bankWrong' } } }
  return { kind: 'bank', request: { ...base, instrument: { bank } } }
}

function wallet(_world: SandboxContext, base: PayRequest, field: Field): Order {
  const name = field('wallet')
  if (!(name in wallets)) return { kind: 'wrong', fields: { wallet: { key: 'walletWrong' } } }
  return { kind: 'bank', request: { ...base, instrument: { wallet: name } } }
}

function bankTransfer(_world: SandboxContext, base: PayRequest, field: Field): Order {
  const amount = paiseOf(field('transfer_amount'))
  if (amount === null || (amount ?? 100) < 100) return { kind: 'wrong', fields: { transfer_amount: { key: 'transferAmountWrong' } } }
  return { kind: 'pay', request: { ...base, amount } }
}

/** Minimum and maximum of a part payment, as texts. */
export function partBounds(link: Link): { min: string; max: string } {
  const due = link.amount - link.amount_paid
  const least = link.amount_paid === 0 ? link.first_min_partial_amount : 100
  return { min: rupees(Math.min(Math.max(least, 100), due)), max: rupees(due) }
}

function isPartWelcome(link: Link, amount: number | undefined): boolean {
  if (amount === undefined) return true
  const due = link.amount - link.amount_paid
  return amount === due || (amount < due && amount >= (link.amount_paid === 0 ? link.first_min_partial_amount : 100))
}

/** An amount in rupees; undefined for no input, null for an invalid one. */
function paiseOf(typed: string): number | undefined | null {
  const plain = typed.replace(/[,\s₹]/g, '')
  if (plain === '') return undefined
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(plain) ?? []
  return whole === '' ? null : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}

/** An Indian mobile number in the provider's format; '' for no input, null for an invalid one. */
function phoneOf(typed: string): string | null {
  const digits = typed.replace(/[\s-]/g, '')
  if (digits === '') return ''
  const [, number] = /^(?:\+?91|0)?([6-9]\d{9})$/.exec(digits) ?? []
  return number === undefined ? null : `+91${number}`
}

/** Whether a card with expiry MM/YY is valid now. */
function isLater(expiry: string, now: number): boolean {
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d{2})$/.exec(expiry) ?? []
  return month !== '' && Date.UTC(2000 + Number(year), Number(month)) > now * 1000
}
