import type { Endpoint } from '#contract/endpoint.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Context } from '../context.ts'
import { authorize, authorizeRead, type CallName } from './authorize.ts'
import type { Reading } from './reading.ts'
import type { AnswerOf, Request } from './route.ts'

type ReadOptions = { authorization: string | undefined; origin: Origin; note: (caller: Caller) => void }

/**
 * Answers a call that only reads. Denied and impersonated requests take the slow path, which writes
 * the audit entry. So does a malformed request, because a missing session is reported first.
 */
export async function runReading<E extends Endpoint>(
  context: Context,
  call: E & { name: CallName },
  reading: Reading<E>,
  { authorization, origin, note }: ReadOptions,
  requestOf: () => Request<E>,
): Promise<AnswerOf<E>> {
  let request: Request<E>
  try {
    request = requestOf()
  } catch (error) {
    await authorize(context, call, authorization, origin, note)
    throw error
  }
  const authorized = await authorizeRead(context, call, authorization, note, (userId) => reading.reads(userId, request))
  if (authorized) return reading.answer(context, authorized.caller, request, authorized.rows)
  const caller = await authorize(context, call, authorization, origin, note)
  if (caller === null) throw new Error(`${call.name} reads a borrower's data but is public`)
  const { borrowerId } = caller
  // Staff who act for nobody own no rows.
  const rows = borrowerId === null ? [] : await context.database.readAsBorrower(borrowerId, reading.reads(borrowerId, request))
  return reading.answer(context, caller, request, rows)
}
