import type { Endpoint } from '#contract/endpoint.ts'
import type { Context } from '../context.ts'
import type { Row } from '../database/pipeline.ts'
import type { Bound, RowsOf } from '../database/statement.ts'
import { admit, admitWith, type CallName } from './admit.ts'
import type { Caller, Origin } from '../caller.ts'
import type { HttpContext } from './http-context.ts'
import type { AnswerOf, Request } from './route.ts'

/**
 * A use case that only reads, and knows from the request alone what: its statements go to the database together with the session's, in one
 * journey, and its answer is made of their rows.
 */
export type Reading<E extends Endpoint> = {
  reads(borrowerId: string, request: Request<E>): readonly Bound<unknown>[]
  answer(context: Context, caller: Caller, request: Request<E>, rows: readonly (readonly Row[])[]): AnswerOf<E> | Promise<AnswerOf<E>>
}

/** @param answer is given the rows of each statement, in the order of `reads`. */
export const reading =
  <E extends Endpoint>() =>
  <const B extends readonly Bound<unknown>[]>(
    reads: (borrowerId: string, request: Request<E>) => B,
    answer: (context: Context, caller: Caller, request: Request<E>, rows: RowsOf<B>) => AnswerOf<E> | Promise<AnswerOf<E>>,
  ): Reading<E> => ({ reads, answer: (context, caller, request, rows) => answer(context, caller, request, rows as unknown as RowsOf<B>) })

export const isReading = <E extends Endpoint>(useCase: unknown): useCase is Reading<E> => typeof useCase === 'object'

type Arrival = { authorization: string | undefined; arrival: Origin; note: (caller: Caller) => void }

/**
 * Answers a call that only reads. Whoever may not, and staff who act for a borrower, go the longer way of every other call, which writes down
 * what is to be written; so does a request that cannot be read, because a session is asked for first.
 */
export async function read<E extends Endpoint>(
  context: HttpContext,
  call: E & { name: CallName },
  reading: Reading<E>,
  { authorization, arrival, note }: Arrival,
  requestOf: () => Request<E>,
): Promise<AnswerOf<E>> {
  let request: Request<E>
  try {
    request = requestOf()
  } catch (error) {
    await admit(context, call, authorization, arrival, note)
    throw error
  }
  const admitted = await admitWith(context, call, authorization, note, (userId) => reading.reads(userId, request))
  if (admitted) return reading.answer(context, admitted.caller, request, admitted.rows)
  const caller = await admit(context, call, authorization, arrival, note)
  if (caller === null) throw new Error(`${call.name} reads a borrower's own, and asks nobody who that is`)
  const { borrowerId } = caller
  // Nobody's: as many reads without a row.
  const rows = borrowerId === null ? [] : await context.database.readAsBorrower(borrowerId, reading.reads(borrowerId, request))
  return reading.answer(context, caller, request, rows)
}
