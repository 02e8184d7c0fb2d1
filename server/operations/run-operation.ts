import { hash } from 'node:crypto'
import * as z from 'zod/mini'
import { operationInputs, type OperationInput, type Preview, type PreviewSide, type PreviewWarning } from '#contract/operation-kinds.ts'
import { endOfDayInIndiaMs, dayInIndia } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { stringifyExact, type Paise } from '#domain/money.ts'
import type { OperationKind, RecordOperationKind } from '#domain/operations.ts'
import type { Context } from '../context.ts'
import { reasonOf } from '../http/decode.ts'
import { findOpenLink, type LinkRow } from '../ledger/open-links-store.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { readOwnLoanById } from '../loans/own-loan.ts'
import { loanKinds, type LoanOperationKind } from './kinds.ts'
import { computeFigures, describePart, readLinesSince } from './loan-figures.ts'
import { checkReason, refuseAs, refused } from './refusals.ts'

/** A decoded operation. For kinds of loans the input belongs to the kind. */
export type Operation<Kind extends OperationKind = OperationKind> = { kind: Kind; input: OperationInput<Kind> }
export type LoanOperation = Operation<LoanOperationKind>
export type RecordOperation = Operation<RecordOperationKind>

/** What an execution did, or would do. */
export type Outcome = {
  preview: Preview
  amountPaise: Paise | null
  detail: Readonly<Record<string, string>>
}

/**
 * Decodes an input by its kind.
 *
 * @throws Failure ProposalRefused naming the first wrong field.
 */
export function decodeOperation(kind: OperationKind, input: unknown): Operation {
  const decoded = z.safeDecode(operationInputs[kind], input as never, { reportInput: true })
  if (decoded.success) {
    refusePersonalData(decoded.data)
    return { kind, input: decoded.data }
  }
  const issue = decoded.error.issues[0]
  const field = ['input', ...(issue?.path ?? [])].join('.')
  throw refused(field, `${field} ${reasonOf(issue)}.`, 'input_invalid')
}

/** Words of an input are kept for good, as reasons are. */
function refusePersonalData(input: object): void {
  for (const [name, value] of Object.entries(input))
    if ((name === 'cause' || name === 'resolution') && typeof value === 'string') checkReason(value, 1, `input.${name}`)
}

/** The input on the wire, in the order of its schema. */
export const encodeInput = ({ kind, input }: Operation): Record<string, unknown> =>
  z.encode(operationInputs[kind], input as never) as Record<string, unknown>

/** A warning from this long before midnight in India. */
const dayEndsMs = hourMs

/**
 * Executes an operation on a locked loan and compares the loan before and after. The caller commits
 * or rolls back.
 *
 * @throws Failure ProposalRefused if the loan does not allow it.
 */
export async function runOnLoan(
  { jobs }: Pick<Context, 'jobs'>,
  transaction: LoanTransaction,
  operation: LoanOperation,
  { proposalId, reason }: { proposalId: string; reason: string },
): Promise<Outcome> {
  const { sql, own, now } = transaction
  const kind = loanKinds[operation.kind]
  const input = operation.input as never
  const chargeId = `charge:${proposalId}`
  const part = kind.partOf?.(input) ?? {}
  const link = await findOpenLink(sql, own.loan.borrower_id, own.loan.loan_id)
  const before = { ...(await computeFigures(sql, own, now, part)), ...(await describePart(sql, own, now, part)) }
  const {
    amountPaise,
    detail,
    warnings: ofKind = [],
  } = await kind.execute({ ...transaction, jobs, reason, chargeId }, input).catch(refuseAs(kind))
  const after = await computeFigures(sql, await readOwnLoanById(sql, own.loan.borrower_id, own.loan.loan_id), now, part)
  const lines = await readLinesSince(sql, own, own.loan.ledger_sequence, chargeId)
  const warnings = [...ofKind, ...warnOfLink(link, kind.whileLinkOpen(input)), ...warnOfMidnight(now)]
  const subject = { loanId: own.loan.loan_id, sequence: own.loan.ledger_sequence }
  return { amountPaise, detail, preview: buildPreview(operation, subject, { before, after, lines, warnings }) }
}

function warnOfLink(link: LinkRow | undefined, whileLinkOpen: 'refuse' | 'cancel_after' | 'keep'): PreviewWarning[] {
  if (!link || whileLinkOpen === 'keep') return []
  const code = whileLinkOpen === 'refuse' ? 'link_open' : 'link_will_be_cancelled'
  return [{ code, payment_link_id: link.payment_link_id, expires_at: link.expires_at }]
}

const warnOfMidnight = (now: Date): PreviewWarning[] =>
  endOfDayInIndiaMs(dayInIndia(now)) - now.getTime() < dayEndsMs ? [{ code: 'day_ends' }] : []

/**
 * The hash covers everything that decides the effect: the input, the figures with their day, the
 * ledger lines and the ledger's sequence. It leaves out warnings: cancelling a link changes no
 * figure.
 */
export function buildPreview(
  operation: Operation,
  subject: Readonly<Record<string, string | bigint>>,
  shown: { before: PreviewSide; after: PreviewSide; lines: Preview['lines']; warnings: PreviewWarning[] },
): Preview {
  const { before, after, lines } = shown
  const content = stringifyExact([operation.kind, encodeInput(operation), subject, before, after, lines])
  return { ...shown, preview_hash: hash('sha256', content) }
}
