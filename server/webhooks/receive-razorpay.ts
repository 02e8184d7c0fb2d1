import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import { addEvent, type InboxRow } from './inbox-store.ts'
import { processEvent } from './process-event.ts'
import { readRazorpayEvent } from './razorpay-event.ts'
import { isSignedByUs } from './razorpay-signature.ts'

const bodyBytesMax = 1024 * 1024

/**
 * Where Razorpay reports (decision 27): 200 once stored, and worked on afterwards; 400 for a bad signature; 413 past
 * 1 MB; 500 only when it could not be stored, so that the provider tries again.
 */
export function receiveRazorpayWebhooks(app: FastifyInstance, context: Context): void {
  void app.register(async (scope) => {
    // The signature is over the bytes as they came, so nothing may read them first.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, done) => done(null, body))
    scope.post(`${apiPrefix}/webhooks/razorpay`, { bodyLimit: bodyBytesMax }, async (request) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (!isSignedByUs(body, request.headers['x-razorpay-signature'], context.config.razorpay.webhookSecrets))
        throw new Failure('WebhookSignatureInvalid', 'X-Razorpay-Signature does not match the body.')
      const event = eventOf(context, body, request.headers['x-razorpay-event-id'])
      await context.failPoint('event_arrived')
      const isNew = await context.database.asSystem((sql) => addEvent(sql, event))
      await context.failPoint('event_stored')
      if (isNew)
        setImmediate(
          () =>
            void processEvent(context, event).catch((error: unknown) =>
              context.log.error({ err: error }, 'a webhook event is left to the sweeper'),
            ),
        )
      return { success: true }
    })
  })
}

/** The process that stores an event works on it at once; only what is still open after this was left behind. */
const leftBehindMs = 5_000

function eventOf({ clock }: Context, body: Buffer, eventId: unknown): InboxRow {
  const now = clock.now()
  const { type, reference } = readRazorpayEvent(body)
  return {
    provider: 'razorpay',
    // Without the provider's id the bytes themselves tell a repetition.
    event_id:
      typeof eventId === 'string' && /^[\x21-\x7e]{1,100}$/.test(eventId) ? eventId : createHash('sha256').update(body).digest('hex'),
    received_at: now,
    next_attempt_at: new Date(now.getTime() + leftBehindMs),
    event_type: type,
    body,
    reference,
    processed_at: null,
    outcome: null,
    attempts: 0,
    last_error: null,
  }
}
