import { exactly, object, type Shape } from './shape.ts'
import type { Visit } from './visit.ts'

/** A call of the specification's table (§7), with the checks of its answer. */
export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The call as in the table, with placeholders. */
  path: string
  /** The path with placeholders filled in. */
  at?: (visit: Visit) => string
  /** Distinguishes several calls of one path. */
  when?: string
  /** Whether the call has no token. */
  isOpen?: boolean
  query?: (visit: Visit) => Record<string, string>
  /** JSON, or a form with a file. */
  body?: (visit: Visit) => unknown
  /** An action of the borrower before the call. */
  before?: (visit: Visit) => Promise<void>
  status?: number | ((visit: Visit) => number)
  /** Whether the answer is a file: `answer` then checks `{content_type, size}`. */
  isFile?: boolean
  answer: Shape
  /** Additional checks with values of earlier calls. */
  answerNow?: (visit: Visit) => Shape
  /** Stores values for later calls. */
  keep?: (body: Body, visit: Visit) => void | Promise<void>
  /** Repeats the call until the answer is right, for asynchronous effects. */
  isAwaited?: boolean
}
export type Body = Record<string, unknown>

export const done = object({ success: exactly(true) })
export const pathTo = (path: string, of: Partial<Call> & Pick<Call, 'answer'>): Call => ({ method: 'GET', path, ...of })
