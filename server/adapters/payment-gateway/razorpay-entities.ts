import * as z from 'zod/mini'
import { paise, zeroPaise, type Paise } from '#domain/money.ts'
import { paymentLinkStatuses, type PaymentLinkStatus } from '#domain/payments.ts'
import type { ListedPayment, ProviderRefund, Settlement, SettlementLine } from './payment-gateway.ts'

export const paiseNumber = z.pipe(
  z.int().check(z.gte(0)),
  z.transform((value: number): Paise => paise(BigInt(value))),
)
export const optionalText = z.optional(z.nullable(z.string()))

/**
 * A field that only describes money: one of another shape, such as `[]` for "not set", is left out
 * and does not keep the money from being read.
 */
const descriptive = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.optional(
    z.union([
      schema,
      z.pipe(
        z.unknown(),
        z.transform(() => null),
      ),
    ]),
  )

type IdPrefix = 'plink' | 'pay' | 'rfnd' | 'setl' | 'inv' | 'order' | 'cust' | 'token'

const idPattern = (prefix: IdPrefix): RegExp => new RegExp(`^${prefix}_[A-Za-z0-9]{14}$`)

/** The schema of one of the provider's ids. */
export const idOf = (prefix: IdPrefix) => z.string().check(z.regex(idPattern(prefix)))

/** Checks an id, because the SDK puts it into the path unescaped. */
export function checkId(prefix: IdPrefix, id: string): string {
  if (!idPattern(prefix).test(id)) throw new Error(`Not a ${prefix} id: ${id}`)
  return id
}

/**
 * The fields of a payment link that Kist uses (Razorpay API, "Payment Links entity"). An unset
 * value may be missing, null, or an empty array or object.
 */
export const linkEntity = z.object({
  id: idOf('plink'),
  reference_id: z.string(),
  /** An unknown status becomes null. */
  status: z.pipe(
    z.string(),
    z.transform((status): PaymentLinkStatus | null => paymentLinkStatuses.find((known) => known === status) ?? null),
  ),
  amount: paiseNumber,
  short_url: z.url({ protocol: /^https?$/ }),
  payments: z.optional(z.nullable(z.union([z.array(z.object({ payment_id: z.string(), status: z.string() })), z.object({})]))),
})
type LinkEntity = z.output<typeof linkEntity>

export const linkCollection = z.object({ payment_links: z.array(z.unknown()) })

/** The fields of a payment that Kist uses. A card number is limited to its last four digits. */
export const paymentEntity = z.object({
  id: idOf('pay'),
  amount: paiseNumber,
  currency: z.string(),
  status: z.string(),
  captured: z.optional(z.nullable(z.boolean())),
  method: descriptive(z.string()),
  vpa: descriptive(z.string()),
  bank: descriptive(z.string()),
  wallet: descriptive(z.string()),
  card: descriptive(z.object({ last4: optionalText, network: optionalText })),
  fee: z.optional(z.nullable(paiseNumber)),
  tax: z.optional(z.nullable(paiseNumber)),
  acquirer_data: descriptive(z.record(z.string(), z.unknown())),
  amount_refunded: z.optional(z.nullable(paiseNumber)),
  description: descriptive(z.string()),
  notes: z.optional(z.unknown()),
  created_at: z.int(),
})
type PaymentEntity = z.output<typeof paymentEntity>

const capturedOrRefunded = new Set(['captured', 'refunded'])

export const listCapturedOrRefundedIds = ({ payments }: LinkEntity): string[] =>
  Array.isArray(payments) ? payments.filter(({ status }) => capturedOrRefunded.has(status)).map(({ payment_id }) => payment_id) : []

/** Whether the payment was captured or refunded. With an earlier status, no money has arrived. */
export const isCapturedOrRefunded = ({ status }: PaymentEntity): boolean => capturedOrRefunded.has(status)

export function toListedPayment(payment: PaymentEntity): ListedPayment {
  // The provider describes a link's payment as `#` and the link's id without `plink_`.
  const linkIdSuffix = /^#([A-Za-z0-9]{14})$/.exec(payment.description ?? '')?.[1]
  return {
    providerPaymentId: payment.id,
    amountPaise: payment.amount,
    currency: payment.currency,
    captured: payment.status === 'captured' || payment.captured === true,
    refundedPaise: payment.amount_refunded ?? zeroPaise,
    reference: readNotes(payment.notes)[referenceNote] ?? null,
    paymentLinkId: linkIdSuffix === undefined ? null : `plink_${linkIdSuffix}`,
    method: payment.method ?? null,
    instrument: formatInstrument(payment),
    bankReference: findBankReference(payment.acquirer_data ?? {}),
    feePaise: payment.fee ?? null,
    taxPaise: payment.tax ?? null,
    paidAt: new Date(payment.created_at * 1_000),
  }
}

/**
 * The key of the note with our payment reference. The provider copies a link's notes to its order
 * and payments.
 */
export const referenceNote = 'kist_reference'
/** The key of the note with the borrower's language. */
export const languageNote = 'kist_language'
/** The key of the note with our refund id. */
export const refundNote = 'kist_refund_id'
/** The key of the note with the number of our refund attempt. */
export const tryNote = 'kist_try'

/** Notes are null, an object or an empty array; Kist writes only strings. */
const readNotes = (notes: unknown): Record<string, string> =>
  typeof notes === 'object' && notes !== null && !Array.isArray(notes)
    ? Object.fromEntries(Object.entries(notes).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
    : {}

const refundStatuses = ['pending', 'processed', 'failed'] as const

/** The fields of a refund that Kist uses. */
export const refundEntity = z.object({
  id: idOf('rfnd'),
  payment_id: z.string(),
  amount: paiseNumber,
  status: z.string(),
  notes: z.optional(z.unknown()),
  acquirer_data: descriptive(z.record(z.string(), z.unknown())),
  created_at: z.int(),
})

export const toProviderRefund = (refund: z.output<typeof refundEntity>): ProviderRefund => ({
  providerRefundId: refund.id,
  providerPaymentId: refund.payment_id,
  amountPaise: refund.amount,
  status: refundStatuses.find((known) => known === refund.status) ?? null,
  refundId: readNotes(refund.notes)[refundNote] ?? null,
  tryNumber: /^\d+$/.test(readNotes(refund.notes)[tryNote] ?? '') ? Number(readNotes(refund.notes)[tryNote]) : null,
  bankReference: findBankReference(refund.acquirer_data ?? {}),
  createdAt: new Date(refund.created_at * 1_000),
})

/** A list in a response. Each item is parsed by its own schema. */
export const collection = z.object({ items: z.array(z.unknown()) })

/** The fields that Kist uses of a row of the settlement report. */
const settlementRow = z.object({
  entity_id: z.string(),
  type: z.string(),
  debit: paiseNumber,
  credit: paiseNumber,
  amount: paiseNumber,
  fee: z.optional(z.nullable(paiseNumber)),
  tax: z.optional(z.nullable(paiseNumber)),
  settled: z.optional(z.nullable(z.boolean())),
  payment_id: optionalText,
  settlement_id: optionalText,
  settlement_utr: optionalText,
  settled_at: z.optional(z.nullable(z.int())),
})

/** Null for a row that is not settled yet. */
function toSettlementLine(row: z.output<typeof settlementRow>): SettlementLine | null {
  if (!row.settlement_id || row.settled === false) return null
  return {
    settlementId: row.settlement_id,
    utr: row.settlement_utr ?? null,
    settledAt: new Date((row.settled_at ?? 0) * 1_000),
    entityId: row.entity_id,
    paymentId: row.payment_id ?? null,
    type: row.type,
    debitPaise: row.debit,
    creditPaise: row.credit,
    amountPaise: row.amount,
    feePaise: row.fee ?? zeroPaise,
    taxPaise: row.tax ?? zeroPaise,
  }
}

const unreadableRow = z.object({ entity_id: optionalText, settlement_id: optionalText, settled: z.optional(z.unknown()) })

/**
 * Reads a row of the settlement report. One with another shape is a line of unknown type, which is
 * reviewed; the others are posted. Without a settlement it is not settled yet.
 */
export function readSettlementLine(row: unknown, index: number): SettlementLine | null {
  const readable = settlementRow.safeParse(row)
  if (readable.success) return toSettlementLine(readable.data)
  const { data: names } = unreadableRow.safeParse(row)
  if (!names?.settlement_id || names.settled === false) return null
  return {
    settlementId: names.settlement_id,
    utr: null,
    settledAt: new Date(0),
    entityId: names.entity_id || `row ${index + 1}`,
    paymentId: null,
    type: 'unreadable',
    debitPaise: zeroPaise,
    creditPaise: zeroPaise,
    amountPaise: zeroPaise,
    feePaise: zeroPaise,
    taxPaise: zeroPaise,
  }
}

export const settlementEntity = z.object({
  id: z.string(),
  amount: paiseNumber,
  fees: paiseNumber,
  tax: paiseNumber,
  utr: optionalText,
  created_at: z.int(),
})

export const toSettlement = ({ id, amount, fees, tax, utr, created_at }: z.output<typeof settlementEntity>): Settlement => ({
  settlementId: id,
  amountPaise: amount,
  feesPaise: fees,
  taxPaise: tax,
  utr: utr ?? null,
  createdAt: new Date(created_at * 1_000),
})

function formatInstrument({ vpa, card, bank, wallet }: PaymentEntity): string | null {
  if (card?.last4) return `${card.network ?? 'card'} ${card.last4}`
  return vpa ?? bank ?? wallet ?? null
}

/**
 * Finds the bank's reference for a payment or refund. The name of its field depends on the payment
 * method.
 */
function findBankReference(acquirerData: Record<string, unknown>): string | null {
  for (const name of ['rrn', 'bank_transaction_id', 'transaction_id', 'arn', 'utr', 'auth_code']) {
    const value = acquirerData[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}
