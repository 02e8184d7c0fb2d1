import type { Endpoint } from '#contract/endpoint.ts'
import type { Context, LimitConcurrency } from '../context.ts'
import type { Row } from '../database/pipeline.ts'
import type { Bound, RowsOf } from '../database/statement.ts'
import type { Caller, ClaimedSession } from '../caller.ts'
import type { AnswerOf, Request } from './route.ts'

/**
 * A use case whose statements follow from the request, the claimed session and what the process
 * has cached, not from other rows. It changes nothing except the access log, the search log, and
 * rates computed from what it read (server/loans/apr-store.ts). The statements run with the
 * session's query in one round trip; the answer is computed from their rows. `request.origin` has
 * no session id.
 *
 * `ownerId` is the borrower, own or assumed, if the call's scope is `borrower`; otherwise the
 * person who is signed in. Whether the session is open is not known when the statements are
 * written: with the scopes `self` and `staff` they name whose rows they read, and a statement that
 * writes an entry is an `entryStatement` (server/access-log.ts), which an ended session cannot use.
 */
export type Reading<E extends Endpoint> = {
  reads(ownerId: string, request: Request<E>, session: ClaimedSession, context: Context): readonly Bound<unknown>[]
  answer(context: Context, caller: Caller, request: Request<E>, rows: readonly (readonly Row[])[]): AnswerOf<E> | Promise<AnswerOf<E>>
  /** Limits the concurrent round trips of one person. */
  limit?: LimitConcurrency
}

/** @param answer receives the rows of each statement, in the order of `reads`. */
export const defineReading =
  <E extends Endpoint>() =>
  <const B extends readonly Bound<unknown>[]>(
    reads: (ownerId: string, request: Request<E>, session: ClaimedSession, context: Context) => B,
    answer: (context: Context, caller: Caller, request: Request<E>, rows: RowsOf<B>) => AnswerOf<E> | Promise<AnswerOf<E>>,
    options: Pick<Reading<E>, 'limit'> = {},
  ): Reading<E> => ({
    ...options,
    reads,
    answer: (context, caller, request, rows) => answer(context, caller, request, rows as unknown as RowsOf<B>),
  })

export const isReading = <E extends Endpoint>(useCase: unknown): useCase is Reading<E> => typeof useCase === 'object'
