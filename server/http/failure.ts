import { errorCatalogue, type ErrorCode, type Problem } from '#contract/errors.ts'

type Extras = Pick<Problem, 'field' | 'reason' | 'payment_link' | 'payment_link_id' | 'expires_at' | 'loan'> & {
  retryAfterSeconds?: number
  /** The rest of the request is not worth reading. */
  closesConnection?: boolean
}

/** A refusal the caller may see. Anything else thrown is a defect and answers 500 without a word of it. */
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

/** Another person's object and one that does not exist answer alike (decision 10). */
export const notFound = () => new Failure('NotFound', 'There is no such thing here.')
