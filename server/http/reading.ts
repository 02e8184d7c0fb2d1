import type { Endpoint } from '#contract/endpoint.ts'
import type { Context } from '../context.ts'
import type { Row } from '../database/pipeline.ts'
import type { Bound, RowsOf } from '../database/statement.ts'
import { authorize, authorizeRead, type CallName } from './authorize.ts'
import type { Caller, Origin } from '../caller.ts'
import type { HttpContext } from './http-context.ts'
import type { AnswerOf, Request } from './route.ts'

/**
 * A use case that only reads and derives its statements from the request alone. The statements run
 * with the session's query in one round trip; the answer is computed from their rows.
 */
export type Reading<E extends Endpoint> = {
  reads(borrowerId: string, request: Request<E>): readonly Bound<unknown>[]
  answer(context: Context, caller: Caller, request: Request<E>, rows: readonly (readonly Row[])[]): AnswerOf<E> | Promise<AnswerOf<E>>
}

/** @param answer receives the rows of each statement, in the order of `reads`. */
export const reading =
  <E extends Endpoint>() =>
  <const B extends readonly Bound<unknown>[]>(
    reads: (borrowerId: string, request: Request<E>) => B,
    answer: (context: Context, caller: Caller, request: Request<E>, rows: RowsOf<B>) => AnswerOf<E> | Promise<AnswerOf<E>>,
  ): Reading<E> => ({ reads, answer: (context, caller, request, rows) => answer(context, caller, request, rows as unknown as RowsOf<B>) })

export const isReading = <E extends Endpoint>(useCase: unknown): useCase is Reading<E> => typeof useCase === 'object'

type ReadOptions = { authorization: string | undefined; origin: Origin; note: (caller: Caller) => void }

/**
 * Answers a call that only reads. Denied and impersonated requests take the slow path, which writes
 * the audit entry. So does a malformed request, because a missing session is reported first.
 */
export async function read<E extends Endpoint>(
  context: HttpContext,
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
