import type { FastifyInstance } from 'fastify'
import { hash } from 'node:crypto'
import { apiPrefix } from '#contract/endpoint.ts'
import { providerName } from '#domain/payments.ts'
import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import type { NewEvent, StoredEvent } from './inbox-store.ts'
import type { Inbox } from './inbox.ts'
import { maskAccountNumbers, readRazorpayEvent, storable } from './razorpay-event.ts'
import { isSignatureValid } from './razorpay-signature.ts'
import { createEventStore } from './store-events.ts'

const bodyBytesMax = 1024 * 1024

/**
 * Receives Razorpay's webhooks (decision 27). 200: the event is stored and processed afterwards.
 * 400: wrong signature. 413: more than 1 MB. 500: the event could not be stored, and the provider
 * sends it again.
 */
export function receiveRazorpayWebhooks(app: FastifyInstance, context: Context, inbox: Inbox): void {
  const store = createEventStore(context.database)
  void app.register(async (scope) => {
    // The signature covers the raw bytes, so they must not be parsed before.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, done) => done(null, body))
    scope.post(`${apiPrefix}/webhooks/razorpay`, { bodyLimit: bodyBytesMax }, async (request) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (!isSignatureValid(body, request.headers['x-razorpay-signature'], context.config.razorpay.webhookSecrets))
        throw new Failure('WebhookSignatureInvalid', 'X-Razorpay-Signature does not match the body.')
      const { paymentId, disputeId, ...event } = buildEvent(context, body, request.headers['x-razorpay-event-id'])
      await context.failPoint('event_arrived')
      const isNew = await store(event)
      await context.failPoint('event_stored')
      if (isNew && event.processed_at === null) inbox.offer({ ...event, paymentId, disputeId })
      return { success: true }
    })
  })
}

function buildEvent({ clock, config }: Context, body: Buffer, eventId: unknown): NewEvent & StoredEvent {
  const now = clock.now()
  const { type, reference, paymentId, disputeId } = readRazorpayEvent(body)
  return {
    provider: providerName,
    // Without the provider's id, the hash of the body identifies a repeated event.
    event_id: typeof eventId === 'string' && storable.test(eventId) ? eventId : hash('sha256', body),
    received_at: now,
    // The process that stores an event processes it at once; after the lease the sweeper takes it
    // over.
    next_attempt_at: new Date(now.getTime() + config.payments.inboxLeaseMs),
    event_type: type,
    body: maskAccountNumbers(body),
    reference,
    paymentId,
    disputeId,
    // An event without a link needs no processing: other events of the same payment have the link.
    ...(reference === null ? { processed_at: now, outcome: 'ignored' } : { processed_at: null, outcome: null }),
  }
}
