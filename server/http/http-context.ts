import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Row } from '../database/pipeline.ts'
import type { Bound } from '../database/statement.ts'

/** Reads the caller of a request. `auth/read-caller.ts` implements it and documents its errors. */
export type CallerReader = {
  readCaller<T>(context: Context, authorization: string | undefined, then: (sql: Sql, caller: Caller, now: Date) => Promise<T>): Promise<T>
  readCallerWith(
    context: Context,
    authorization: string | undefined,
    readsOf: (userId: string) => readonly Bound<unknown>[],
  ): Promise<{ caller: Caller; rows: Row[][] } | null>
}

/** The context of the HTTP layer. This layer imports no feature, so `readCaller` is passed in. */
export type HttpContext = Context & { callers: CallerReader }
