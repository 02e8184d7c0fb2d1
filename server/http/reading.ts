import type { Endpoint } from '#contract/endpoint.ts'
import type { Context } from '../context.ts'
import type { Row } from '../database/pipeline.ts'
import type { Bound, RowsOf } from '../database/statement.ts'
import type { Caller } from '../caller.ts'
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
export const defineReading =
  <E extends Endpoint>() =>
  <const B extends readonly Bound<unknown>[]>(
    reads: (borrowerId: string, request: Request<E>) => B,
    answer: (context: Context, caller: Caller, request: Request<E>, rows: RowsOf<B>) => AnswerOf<E> | Promise<AnswerOf<E>>,
  ): Reading<E> => ({ reads, answer: (context, caller, request, rows) => answer(context, caller, request, rows as unknown as RowsOf<B>) })

export const isReading = <E extends Endpoint>(useCase: unknown): useCase is Reading<E> => typeof useCase === 'object'
