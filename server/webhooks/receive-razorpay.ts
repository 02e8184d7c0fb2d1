import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import type { NewEvent } from './inbox-store.ts'
import type { Inbox } from './inbox.ts'
import { readRazorpayEvent } from './razorpay-event.ts'
import { isSignedByUs } from './razorpay-signature.ts'
import { createEventStore } from './store-events.ts'

const bodyBytesMax = 1024 * 1024

/**
 * Where Razorpay reports (decision 27): 200 once stored, and worked on afterwards; 400 for a bad signature; 413 past
 * 1 MB; 500 only when it could not be stored, so that the provider tries again.
 */
export function receiveRazorpayWebhooks(app: FastifyInstance, context: Context, inbox: Inbox): void {
  const store = createEventStore(context.database)
  void app.register(async (scope) => {
    // The signature is over the bytes as they came, so nothing may read them first.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, done) => done(null, body))
    scope.post(`${apiPrefix}/webhooks/razorpay`, { bodyLimit: bodyBytesMax }, async (request) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (!isSignedByUs(body, request.headers['x-razorpay-signature'], context.config.razorpay.webhookSecrets))
        throw new Failure('WebhookSignatureInvalid', 'X-Razorpay-Signature does not match the body.')
      const { paymentId, ...event } = eventOf(context, body, request.headers['x-razorpay-event-id'])
      await context.failPoint('event_arrived')
      const isNew = await store(event)
      await context.failPoint('event_stored')
      if (isNew && event.processed_at === null) inbox.offer({ ...event, paymentId })
      return { success: true }
    })
  })
}

function eventOf({ clock, config }: Context, body: Buffer, eventId: unknown): NewEvent & { paymentId: string | null } {
  const now = clock.now()
  const { type, reference, paymentId } = readRazorpayEvent(body)
  return {
    provider: 'razorpay',
    // Without the provider's id the bytes themselves tell a repetition.
    event_id:
      typeof eventId === 'string' && /^[\x21-\x7e]{1,100}$/.test(eventId) ? eventId : createHash('sha256').update(body).digest('hex'),
    received_at: now,
    // The process that stores an event works on it at once; only what is still open after this was left behind.
    next_attempt_at: new Date(now.getTime() + config.payments.inboxLeaseMs),
    event_type: type,
    body,
    reference,
    paymentId,
    // What names no link of ours needs no work: other events of the same payment do.
    ...(reference === null ? { processed_at: now, outcome: 'ignored' } : { processed_at: null, outcome: null }),
  }
}
