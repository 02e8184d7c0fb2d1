import * as z from 'zod/mini'
import { isAutopayReference } from '../autopay/sync-by-name.ts'

/**
 * Identifiers that PostgreSQL can store. JSON allows a NUL character and PostgreSQL does not: such
 * an event would get a 500 answer, and the provider would send it again.
 */
export const storable = /^[\x21-\x7e]{1,100}$/

const text = z.optional(z.nullable(z.string()))
const entity = <S extends z.ZodMiniType>(inner: S) => z.optional(z.object({ entity: inner }))

/** The fields that are read: the event type, the link and the payment. Amounts are never read. */
const razorpayEvent = z.object({
  event: z.string().check(z.regex(storable)),
  payload: z.object({
    payment_link: entity(z.object({ reference_id: z.optional(z.nullable(z.string())) })),
    order: entity(z.object({ receipt: z.optional(z.nullable(z.string())) })),
    payment: entity(z.object({ id: text, description: text, notes: z.optional(z.unknown()) })),
    token: entity(z.object({ id: text })),
    notification: entity(z.object({ order_id: text })),
    invoice: entity(z.object({ receipt: text })),
    refund: entity(z.object({ payment_id: text })),
    dispute: entity(z.object({ id: text, payment_id: text })),
  }),
})

type EventFacts = {
  type: string
  /**
   * Our reference, or else the provider's id: of the link from a payment's description, of the
   * order of a notification, of a token.
   */
  reference: string | null
  /** The provider's id of the event's payment. */
  paymentId: string | null
  /** The provider's id of the event's dispute. */
  disputeId: string | null
}

/** Events of payments that are not captured; a capture or refund sends its own event. */
const uncapturedEvents = new Set(['payment.authorized', 'payment.failed', 'payment.pending'])

/** Reads an event of any type. `reference` is null if the event needs no processing. */
export function readRazorpayEvent(body: Buffer): EventFacts {
  const parsed = razorpayEvent.safeParse(parseJson(body))
  if (!parsed.success) return { type: 'unreadable', reference: null, paymentId: null, disputeId: null }
  const { event, payload } = parsed.data
  const ofPayment = payload.payment_link?.entity.reference_id ?? payload.order?.entity.receipt ?? findLinkName(payload.payment?.entity)
  const ofMandate = payload.invoice?.entity.receipt ?? payload.notification?.entity.order_id ?? payload.token?.entity.id
  const reference = storableName(ofPayment ?? ofMandate)
  return {
    type: event,
    // A debit that fails has no other event.
    reference: uncapturedEvents.has(event) && !isAutopayReference(reference ?? '') ? null : reference,
    paymentId: storableName(payload.payment?.entity.id ?? payload.refund?.entity.payment_id ?? payload.dispute?.entity.payment_id),
    disputeId: storableName(payload.dispute?.entity.id),
  }
}

/**
 * The body as it is stored: of bank account numbers, which events of eMandates contain, only the
 * last four digits. All other bytes are unchanged.
 */
export function maskAccountNumbers(body: Buffer): Buffer {
  // One character for each byte, so that bytes that are not UTF-8 stay as they are.
  const text = body.toString('latin1')
  if (!text.includes('account_number')) return body
  const masked = text.replaceAll(
    /("account_number"\s*:\s*)(?:"([^"]*)"|(\d+))/g,
    (_all, name: string, quoted?: string, digits?: string) => {
      const number = quoted ?? digits ?? ''
      return `${name}"${'X'.repeat(Math.max(0, number.length - 4))}${number.slice(-4)}"`
    },
  )
  return Buffer.from(masked, 'latin1')
}

const storableName = (name: string | null | undefined): string | null => (typeof name === 'string' && storable.test(name) ? name : null)

type PaymentEntity = { description?: string | null | undefined; notes?: unknown }

/** A link's notes are copied to its payments, and their description contains its id. */
function findLinkName(payment: PaymentEntity | undefined): string | undefined {
  const reference = z.object({ kist_reference: z.string() }).safeParse(payment?.notes).data?.kist_reference
  const bareId = /^#([A-Za-z0-9]{14})$/.exec(payment?.description ?? '')?.[1]
  return reference ?? (bareId === undefined ? undefined : `plink_${bareId}`)
}

/**
 * A real event has a few KB. A larger body is stored and not parsed: it could block the event loop.
 */
const parsedBytesMax = 256 * 1024

function parseJson(body: Buffer): unknown {
  if (body.length > parsedBytesMax) return null
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
