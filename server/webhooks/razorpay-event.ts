import * as z from 'zod/mini'

/**
 * Names that PostgreSQL can store and that the provider or we could have given. A NUL, for example, is valid JSON and no valid text there:
 * the event would be refused with 500, and sent again, for ever.
 */
const storable = /^[\x21-\x7e]{1,100}$/

const text = z.optional(z.nullable(z.string()))
const entity = <S extends z.ZodMiniType>(inner: S) => z.optional(z.object({ entity: inner }))

/** The little we read of an event: what happened, and which link of ours it is about. Its amounts are never used. */
const razorpayEvent = z.object({
  event: z.string().check(z.regex(storable)),
  payload: z.object({
    payment_link: entity(z.object({ reference_id: z.optional(z.nullable(z.string())) })),
    order: entity(z.object({ receipt: z.optional(z.nullable(z.string())) })),
    payment: entity(z.object({ id: text, description: text, notes: z.optional(z.unknown()) })),
    refund: entity(z.object({ payment_id: text })),
    dispute: entity(z.object({ payment_id: text })),
  }),
})

export type EventFacts = {
  type: string
  /** Our reference, where the event carries it; else the provider's id of the link, as a payment names it. */
  reference: string | null
  /** The provider's payment that it tells of. */
  paymentId: string | null
}

/** Attempts that are no money: what comes of them is told by other events. */
const noMoney = new Set(['payment.authorized', 'payment.failed', 'payment.pending'])

/** Reads an event of any kind. One of which nothing can follow names no link. */
export function readRazorpayEvent(body: Buffer): EventFacts {
  const parsed = razorpayEvent.safeParse(parseJson(body))
  if (!parsed.success) return { type: 'unreadable', reference: null, paymentId: null }
  const { event, payload } = parsed.data
  return {
    type: event,
    reference: noMoney.has(event)
      ? null
      : storableName(payload.payment_link?.entity.reference_id ?? payload.order?.entity.receipt ?? linkNamedBy(payload.payment?.entity)),
    paymentId: storableName(payload.payment?.entity.id ?? payload.refund?.entity.payment_id ?? payload.dispute?.entity.payment_id),
  }
}

const storableName = (name: string | null | undefined): string | null => (typeof name === 'string' && storable.test(name) ? name : null)

type PaymentFacts = { description?: string | null | undefined; notes?: unknown }

/** A link's notes are copied to its payments, and its id stands in their description. */
function linkNamedBy(payment: PaymentFacts | undefined): string | undefined {
  const reference = z.object({ kist_reference: z.string() }).safeParse(payment?.notes).data?.kist_reference
  const bareId = /^#([A-Za-z0-9]{14})$/.exec(payment?.description ?? '')?.[1]
  return reference ?? (bareId === undefined ? undefined : `plink_${bareId}`)
}

/** The provider's events have a few KB. Parsing a larger body made for it would keep the event loop; it is stored, but not read. */
const parsedBytesMax = 256 * 1024

function parseJson(body: Buffer): unknown {
  if (body.length > parsedBytesMax) return null
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
