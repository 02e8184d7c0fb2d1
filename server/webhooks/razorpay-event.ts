import * as z from 'zod/mini'

const entity = <S extends z.ZodMiniType>(inner: S) => z.optional(z.object({ entity: inner }))

/** The little we read of an event: what happened, and which link of ours it is about. Its amounts are never used. */
const razorpayEvent = z.object({
  event: z.string().check(z.maxLength(100)),
  payload: z.object({
    payment_link: entity(z.object({ reference_id: z.optional(z.nullable(z.string())) })),
    order: entity(z.object({ receipt: z.optional(z.nullable(z.string())) })),
    payment: entity(z.object({ id: z.optional(z.nullable(z.string())) })),
  }),
})

export type EventFacts = {
  type: string
  /** Our reference, where the event carries it. */
  reference: string | null
  /** The provider's payment that it tells of. */
  paymentId: string | null
}

/** Reads an event of any kind. A payment's own events carry no reference of ours; `order.paid` and `payment_link.*` of the same payment do. */
export function readRazorpayEvent(body: Buffer): EventFacts {
  const parsed = razorpayEvent.safeParse(parseJson(body))
  if (!parsed.success) return { type: 'unreadable', reference: null, paymentId: null }
  const { event, payload } = parsed.data
  return {
    type: event,
    reference: payload.payment_link?.entity.reference_id ?? payload.order?.entity.receipt ?? null,
    paymentId: payload.payment?.entity.id ?? null,
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
