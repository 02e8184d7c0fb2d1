import { createHash } from 'node:crypto'
import type { createPaymentLink as call } from '#contract/payments.ts'
import type { Sql } from '../database/connect.ts'
import { Failure } from '../http/failure.ts'
import type { Request } from '../http/route.ts'
import { findLinkByKey, type LinkRow } from './payment-store.ts'

/**
 * The link that this very request made before, known by its Idempotency-Key (decision 52).
 *
 * @throws Failure IdempotencyKeyReused when the key was used with another body.
 */
export async function repeatedLink(
  sql: Sql,
  borrowerId: string,
  { body, idempotencyKey }: Request<typeof call>,
): Promise<LinkRow | undefined> {
  if (idempotencyKey === null) return undefined
  const link = await findLinkByKey(sql, borrowerId, idempotencyKey)
  if (link && !link.request_hash?.equals(requestHashOf(body)))
    throw new Failure('IdempotencyKeyReused', 'This Idempotency-Key was used with another request.', { field: 'Idempotency-Key' })
  return link
}

export function requestHashOf(body: Request<typeof call>['body']): Buffer {
  const said = [body.amount, body.purpose, body.lead_id, body.application_id, body.callback_url].join('\n')
  return createHash('sha256').update(said).digest()
}
