import * as z from 'zod/mini'
import { preview as previewSchema, type Preview } from '#contract/operation-kinds.ts'
import { Failure } from '../http/failure.ts'
import { redactPersonalData } from '../log.ts'

/** The input cannot be executed. `field` as in the request's body. */
export const refused = (field: string, detail: string): Failure => new Failure('ProposalRefused', detail, { field })

/** The figures differ from the preview that the caller has seen; the answer holds the new one. */
export class StalePreview extends Failure {
  constructor(preview: Preview) {
    super('ProposalStale', 'The loan or the day has changed since the preview. Look at the new figures and decide again.', {
      preview: z.encode(previewSchema, preview),
    })
  }
}

/**
 * A reason that is kept for good and shown to the borrower.
 *
 * @throws Failure ProposalRefused if it is too short or holds personal data.
 */
export function checkReason(given: string, minimum: number, field = 'reason'): string {
  const reason = given.trim()
  if (reason.length < minimum) throw refused(field, `${field} must be at least ${minimum} characters.`)
  if (redactPersonalData(reason) !== reason)
    throw refused(field, `${field} must hold no phone number, e-mail address or PAN, because it is kept for good.`)
  return reason
}
