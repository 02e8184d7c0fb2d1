import * as z from 'zod/mini'
import { preview as previewSchema, type Preview } from '#contract/operation-kinds.ts'
import type { OperationRefusal } from '#domain/operations.ts'
import { Failure } from '../http/failure.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { redactPersonalData } from '../log.ts'
import { isExpired, type ProposalRow } from './proposal-store.ts'

/** The input cannot be executed. `field` as in the request's body. */
export const refused = (field: string, detail: string, refusal: OperationRefusal | null): Failure =>
  new Failure('ProposalRefused', detail, { field, ...(refusal !== null && { refusal }) })

/** The input fields that some reasons are about, whatever the kind. */
const fieldOfReason: Partial<Record<OperationRefusal, string>> = {
  charge_not_allowed: 'input.charge_type',
  day_before_sanction: 'input.date',
  penal_without_tax: 'input.tax_percent',
  reference_taken: 'input.reference',
  refund_before_request: 'input.value_date',
  taken_amount: 'input.amount',
  tranche_imported_differs: 'input.date',
}

/** Where the input of a kind is refused: the field of each of these reasons, and of all others. */
export type RefusalFields = { field: string; fields?: Partial<Record<OperationRefusal, string>> }

/** Turns a LedgerRefusal into a refusal of the reason's input field, or of the kind's. */
export const refuseAs =
  ({ field, fields }: RefusalFields) =>
  (error: unknown): never => {
    if (!(error instanceof LedgerRefusal)) throw error
    throw refused((error.reason && (fields?.[error.reason] ?? fieldOfReason[error.reason])) ?? field, `${error.message}.`, error.reason)
  }

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
  if (reason.length < minimum) throw refused(field, `${field} must be at least ${minimum} characters.`, 'text_too_short')
  if (redactPersonalData(reason) !== reason)
    throw refused(field, `${field} must hold no phone number, e-mail address, UPI ID or PAN, because it is kept for good.`, 'personal_data')
  return reason
}

/** What people executed alone on the loan today reaches the limit with this proposal. */
export class CheckerNeeded extends Error {}

/** The proposal is decided, or its time is over. */
export class DecidedBefore extends Failure {
  readonly row: ProposalRow
  constructor(row: ProposalRow, now: Date) {
    const state = isExpired(row, now) ? 'expired' : row.state
    super('ProposalDecided', `The proposal is ${state} already.`, { proposal_state: state })
    this.row = row
  }
}

/** @throws DecidedBefore unless the proposal is open. */
export function refuseDecided(row: ProposalRow, now: Date): ProposalRow {
  if (row.state !== 'proposed' || isExpired(row, now)) throw new DecidedBefore(row, now)
  return row
}
