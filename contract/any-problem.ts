import * as z from 'zod/mini'
import type { Problem } from './problem.ts'

/**
 * A problem document as the browser reads it: with any code, and with the optional fields as the
 * server sends them, so that no page loads their schemas and the catalogue of errors.
 */
const anyProblem = z.looseObject({
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
})

/** The problem of an error response. Null for any other body. */
export function readProblem(json: unknown): Problem | null {
  const read = z.safeParse(anyProblem, json)
  return read.success ? (read.data as unknown as Problem) : null
}
