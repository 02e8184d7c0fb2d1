import { actOfOperation } from '#contract/staff-access.ts'
import { paiseToRupees } from '#domain/money.ts'
import { findUserById, nameOf, type UserRow } from '../auth/user-store.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Context } from '../context.ts'
import { Failure } from '../http/failure.ts'
import { normalizeBankReference } from '../ledger/bank-reference-store.ts'
import { changeLoan } from '../loan-changes/change-loan.ts'
import { createLoanChangeContext } from '../payments/links/cancel-open-link.ts'
import { readActor } from './four-eyes.ts'
import { loanKinds } from './kinds.ts'
import { toPlainReference } from '../ledger/repeated-payments.ts'
import { findPaymentOfReference } from './loan-record-store.ts'
import { readAndLog } from './log-read.ts'
import { redactWords } from './redact-words.ts'
import { prepareRecord, previewRecord } from './run-on-record.ts'
import { type LoanOperation, type Operation, type Outcome, runOnLoan } from './run-operation.ts'
import { findSubject, isOfRecord, type Subject } from './subject.ts'

/** `operation`: without the names of the borrower. */
export type Previewed = { operation: Operation; subject: Subject; actor: UserRow; outcome: Outcome }

/**
 * Computes the effect of an operation: executes it in a transaction that is rolled back, so that
 * the preview is what the execution does. It shows the loan's figures, so it is an entry in the
 * borrower's access log, as every read of a loan (decision 62).
 *
 * @throws Failure NotFound, FourEyes, ProposalRefused, AutopayInProgress or PreviewInProgress.
 */
export async function computePreview(
  context: Context,
  caller: Caller,
  given: Operation,
  { lan, reason, origin }: { lan: string | undefined; reason: string; origin: Origin },
): Promise<Previewed> {
  const { operation, subject, actor, now } = await readAndLog(context, caller, { call: 'previewOperation', origin }, async (sql, now) => {
    const subject = await findSubject(sql, given, lan)
    const actor = await readActor(sql, caller, subject.borrowerId)
    const operation = redactWords(given, await findUserById(sql, subject.borrowerId))
    const about = { borrower_id: subject.borrowerId, lan: subject.lan }
    return { answer: { operation, subject, actor, now }, about, reader: actor }
  })
  if (isOfRecord(operation)) {
    await prepareRecord(context, operation)
    const outcome = await context.database.asSystem((sql) =>
      previewRecord(sql, operation, { subject, now, rules: context.config.autopay.rules }),
    )
    return { operation, subject, actor, outcome }
  }
  const outcome = await previewOnLoan(context, operation as LoanOperation, subject, { actor, reason }).catch(async (error: unknown) => {
    throw await nameOtherPayment(context, { caller, actor, origin, call: 'previewOperation' }, operation, error)
  })
  return { operation, subject, actor, outcome }
}

async function previewOnLoan(
  context: Context,
  operation: LoanOperation,
  { borrowerId, loanId }: Subject,
  { actor, reason }: { actor: UserRow; reason: string },
): Promise<Outcome> {
  if (loanId === null) throw new Error(`${operation.kind} has no loan`)
  const { answer } = await changeLoan(createLoanChangeContext(context), {
    borrowerId,
    loanId,
    actor: { actorId: actor.user_id, name: nameOf(actor), reason },
    whileLinkOpen: loanKinds[operation.kind].whileLinkOpen(operation.input as never),
    // An open link is a warning of the preview, not a refusal.
    cancelLink: true,
    dryRun: true,
    write: async (transaction) => {
      const answer = await runOnLoan(context, transaction, operation, { proposalId: 'preview', reason })
      return { answer, log: { action: actOfOperation[operation.kind], detail: answer.detail } }
    },
  })
  return answer
}

type Reading = { caller: Caller; actor: UserRow; origin: Origin; call: string }

/**
 * Adds the payment that has the bank reference to a refusal, for staff who may read it, and logs
 * that they read it (decision 62). Any other error is returned as it is.
 */
export async function nameOtherPayment(context: Context, reading: Reading, { input }: Operation, error: unknown): Promise<unknown> {
  const { caller, actor } = reading
  const isTaken = error instanceof Failure && error.code === 'ProposalRefused' && error.extras.refusal === 'reference_taken'
  if (!isTaken || !('reference' in input) || !caller.permissions.includes('operations:read')) return error
  const reference = normalizeBankReference(input.mode, input.reference)
  if (reference === null) return error
  const other = await readAndLog(context, caller, reading, async (sql) => {
    const payment = await findPaymentOfReference(sql, reference)
    return { answer: payment, about: payment ?? null, reader: actor }
  })
  if (!other) return error
  return new Failure('ProposalRefused', error.message, {
    ...error.extras,
    other_payment: {
      lan: other.lan,
      mode: other.source,
      reference: toPlainReference(other.source_id),
      amount: paiseToRupees(other.amount_paise),
      value_date: other.value_date,
    },
  })
}
