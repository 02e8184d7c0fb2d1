import { errorCatalogue, type ErrorCode } from '#contract/errors.ts'
import type { Problem } from '#contract/problem.ts'

/** What only some refusals say. */
type Extras = Omit<Problem, 'type' | 'title' | 'status' | 'detail' | 'code' | 'request_id'> & {
  retryAfterSeconds?: number
  /** Closes the connection instead of reading the rest of the request. */
  closesConnection?: boolean
}

/**
 * A refusal that the caller may see. Any other error is a defect and answers 500 without details.
 */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly extras: Extras
  constructor(code: ErrorCode, detail: string = errorCatalogue[code].title, extras: Extras = {}) {
    super(detail)
    this.name = 'Failure'
    this.code = code
    this.extras = extras
  }
}

export const notReady = (retryAfterSeconds: number) =>
  new Failure('Unavailable', 'The service is not ready. Please try again in a moment.', { retryAfterSeconds })

/** An object of another person and a missing object get the same answer (decision 10). */
export const notFound = () => new Failure('NotFound', 'There is nothing at this address.')
