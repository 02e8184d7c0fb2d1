import type { LedgerLine, LoanFigures } from '#contract/operation-kinds.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, zeroPaise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { readLedger } from '../ledger/ledger-store.ts'
import type { Line } from '../ledger/lines.ts'
import { toPlainReference } from '../ledger/repeated-payments.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { resetOnDay } from '../rate-resets/reset-on-wire.ts'
import { findReset } from '../rate-resets/reset-store.ts'
import { findTranches } from '../tranches/tranche-store.ts'
import { findNamedPayment, listRepayments } from './loan-record-store.ts'

/** The part of a loan that an operation is about. `paymentId`: as in `findNamedPayment`. */
export type LoanPart = { trancheId?: string; resetId?: string; paymentId?: string; chargeId?: string }

/** Describes the payment that is reversed or the charge that is waived, by more than its id. */
export async function describePart(
  sql: Sql,
  { loan, facts }: OwnLoan,
  now: Date,
  { paymentId, chargeId }: LoanPart,
): Promise<Pick<LoanFigures, 'payment' | 'charge'>> {
  if (paymentId !== undefined) {
    const paid = findNamedPayment(await listRepayments(sql, loan), paymentId)
    if (!paid) return {}
    const { source: mode, source_id: sourceId, amount_paise: amount, value_date } = paid
    return { payment: { mode, reference: toPlainReference(sourceId), amount, value_date } }
  }
  if (chargeId === undefined) return {}
  const charges = [...facts.charges, ...loanStateDuring(facts, dayInIndia(now)).derivedCharges]
  const charge = charges.find((one) => one.chargeId === chargeId)
  return charge ? { charge: { charge_type: charge.chargeType, date: charge.date } } : {}
}

/** Computes the figures of a loan that its borrower sees now. */
export async function computeFigures(sql: Sql, { loan, facts }: OwnLoan, now: Date, part: LoanPart): Promise<LoanFigures> {
  const today = dayInIndia(now)
  const state = loanStateDuring(facts, today)
  const next = state.rows.find(({ status }) => status !== 'Paid')
  const { trancheId, resetId } = part
  const tranche = trancheId === undefined ? undefined : (await findTranches(sql, loan)).find((one) => one.partner_tranche_id === trancheId)
  const reset = resetId === undefined ? undefined : await findReset(sql, loan.borrower_id, resetId)
  return {
    as_of: today,
    loan_status: state.status,
    dues: state.duesPaise,
    dpd: state.dpd,
    emi_amount: state.instalmentPaise,
    next_emi_amount: state.nextInstalmentPaise,
    due_date: state.dueDate,
    last_due_date: state.rows.at(-1)?.dueDate ?? null,
    payoff: state.allowed.foreclosure?.amountPaise ?? null,
    principal_outstanding: state.principalOutstandingPaise,
    disbursed_amount: state.disbursedPaise,
    credit_amount: state.creditPaise,
    refunded_amount: paise(state.heldPaise + state.refundShortPaise),
    instalments_left: state.instalmentsDue,
    next_row: next ? { number: next.number, due_date: next.dueDate, pending_amount: next.pendingPaise, status: next.status } : null,
    tranche: tranche
      ? { partner_tranche_id: tranche.partner_tranche_id, stage: tranche.stage, amount: tranche.amount_paise, date: tranche.disbursed_on }
      : null,
    ...(reset?.loan_id === loan.loan_id && {
      rate_reset: resetOnDay(reset, today),
    }),
  }
}

/**
 * Reads the entries of the loan's ledger after a sequence.
 *
 * @param ownChargeId the id of a charge that the operation adds. It differs in every run, so it
 * becomes `new`, and its tax `new:tax`.
 */
export async function readLinesSince(sql: Sql, { loan }: OwnLoan, sequence: bigint, ownChargeId: string): Promise<LedgerLine[]> {
  const { transactions } = await readLedger(sql, loan)
  return transactions
    .filter((transaction) => transaction.sequence > sequence)
    .flatMap(({ kind, valueDate, lines }, index) =>
      lines.map((line) => ({
        transaction: index + 1,
        kind,
        value_date: valueDate,
        ...entryOnWire(line),
        charge_id: line.chargeId?.replace(ownChargeId, 'new') ?? null,
      })),
    )
}

/** A ledger line as the API returns it: a debit or a credit. */
export const entryOnWire = ({ account, amountPaise, instalmentNumber, chargeId }: Line) => ({
  account,
  debit: amountPaise < 0n ? paise(-amountPaise) : zeroPaise,
  credit: amountPaise > 0n ? amountPaise : zeroPaise,
  instalment_number: instalmentNumber,
  charge_id: chargeId,
})
