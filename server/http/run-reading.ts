import type { Endpoint } from '#contract/endpoint.ts'
import type { Context } from '../context.ts'
import { authorizeRead, type Asker, type CallName } from './authorize.ts'
import type { Reading } from './reading.ts'
import type { AnswerOf, Request } from './route.ts'

/**
 * Answers a call that only reads. A malformed request reads nothing; it is authorized first,
 * because a missing session is reported first.
 */
export async function runReading<E extends Endpoint>(
  context: Context,
  call: E & { name: CallName },
  reading: Reading<E>,
  asker: Omit<Asker, 'limit'>,
  requestOf: () => Request<E>,
): Promise<AnswerOf<E>> {
  let request: Request<E>
  try {
    request = requestOf()
  } catch (error) {
    await authorizeRead(context, call, asker, () => [])
    throw error
  }
  const { caller, rows } = await authorizeRead(
    context,
    call,
    { ...asker, ...(reading.limit && { limit: reading.limit }) },
    (ownerId, session) => reading.reads(ownerId, request, session, context),
  )
  return reading.answer(context, caller, request, rows)
}
