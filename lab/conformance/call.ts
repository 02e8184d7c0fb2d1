import { exactly, object, type Shape } from './shape.ts'
import type { Visit } from './visit.ts'

/** A call of the specification's table (§7), and what must be true of its answer. */
export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As the table has it, with its blanks. */
  path: string
  /** The path with its blanks filled. */
  at?: (visit: Visit) => string
  /** Which of several calls of this path it is. */
  when?: string
  /** Calls of the table that carry no token. */
  isOpen?: boolean
  query?: (visit: Visit) => Record<string, string>
  /** JSON, or a form with a file. */
  body?: (visit: Visit) => unknown
  /** Done before the call: what a person would do meanwhile. */
  before?: (visit: Visit) => Promise<void>
  status?: number | ((visit: Visit) => number)
  /** The answer is a file and not JSON: `answer` then looks at `{content_type, size}`. */
  isFile?: boolean
  answer: Shape
  /** What is known only on the way: looked at beside `answer`. */
  answerNow?: (visit: Visit) => Shape
  /** Remembers what later calls need. */
  keep?: (body: Body, visit: Visit) => void | Promise<void>
  /** Asked again until the answer is right: something happens behind it. */
  isAwaited?: boolean
}
export type Body = Record<string, unknown>

export const done = object({ success: exactly(true) })
export const pathTo = (path: string, of: Partial<Call> & Pick<Call, 'answer'>): Call => ({ method: 'GET', path, ...of })
