import type { ResponseOf } from '#contract/endpoint.ts'
import type { readOperationsLoan } from '#contract/operations.ts'
import { isUuid } from '#contract/uuid.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { sumWaivedBy, type LoanState } from '#domain/loans.ts'
import { paise, paiseToRupees, zeroPaise } from '#domain/money.ts'
import { ppbToPercent } from '#domain/rates.ts'
import { resetOnDay } from '../rate-resets/reset-on-wire.ts'
import { listLoanResets } from '../rate-resets/reset-store.ts'
import { findNames } from '../auth/user-store.ts'
import type { Sql } from '../database/connect.ts'
import { readLedger } from '../ledger/ledger-store.ts'
import { sumLines } from '../ledger/lines.ts'
import { toPlainReference } from '../ledger/repeated-payments.ts'
import { listOpenCharges } from '../loan-changes/waive-charge.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { isTakenByBank } from '../loans/refund-facts-store.ts'
import { listLoanRefunds } from '../payments/refund-store.ts'
import { entryOnWire } from './loan-figures.ts'
import { listLedgerSources, listRepayments } from './loan-record-store.ts'

type Answer = ResponseOf<typeof readOperationsLoan>

/** The facts of a loan, with the references and receipts of its payments. */
export async function readFactsOnWire(sql: Sql, { loan, facts }: OwnLoan, state: LoanState, today: Day): Promise<Answer['facts']> {
  const open = listOpenCharges(facts, state)
  const payments = await listRepayments(sql, loan)
  const refunds = await listLoanRefunds(sql, loan.borrower_id, loan.loan_id)
  const resets = await listLoanResets(sql, loan.borrower_id, loan.loan_id)
  const charges = [...facts.charges, ...state.derivedCharges]
  return {
    sanctioned_on: loan.sanctioned_on,
    disbursals: facts.disbursals.map(({ date, amountPaise }) => ({ date, amount: amountPaise })),
    rate_changes: facts.rateChanges.map((change) => ({
      date: change.date,
      annual_rate_percent: ppbToPercent(change.annualRatePpb),
      keep: change.keep,
      ...(change.keep === 'both' && { instalment: change.instalmentPaise }),
    })),
    charges: charges.map(({ chargeId, chargeType, date, amountPaise, penal, waivedOn }) => ({
      charge_id: chargeId,
      charge_type: chargeType,
      date,
      amount: amountPaise,
      penal,
      waived_on: waivedOn,
      pending: open.find(({ charge }) => charge.chargeId === chargeId)?.pendingPaise ?? zeroPaise,
      settled: sumWaivedBy(state, chargeId) > 0n,
    })),
    payments: payments.map((paid) => ({
      payment_id: paid.transaction_id,
      date: paid.value_date,
      amount: paid.amount_paise,
      mode: paid.source,
      reference: toPlainReference(paid.source_id),
      purpose: paid.purpose,
      receipt_number: paid.receipt_number,
      reversed: paid.reversal_id !== null,
    })),
    refunds: refunds.map((refund) => ({
      refund_id: refund.refund_id,
      date: dayInIndia(refund.asked_at),
      amount: refund.amount_paise,
      status: refund.status,
      reason: isTakenByBank(refund) ? 'taken_by_bank' : refund.reason,
    })),
    short_foreclosures: state.shortForeclosures.length,
    foreclosure_waivers: facts.foreclosureWaivers.map(({ date, amountPaise }) => ({ date, amount: amountPaise })),
    rate_resets: resets.map((reset) => ({
      id: reset.reset_id,
      ...resetOnDay(reset, today),
      choice: reset.choice,
      instalment: reset.instalment_paise,
    })),
  }
}

const balanceAccounts: ReadonlySet<string> = new Set(['principal', 'charges', 'excess'])

/** The ledger of a loan by sequence, with what the borrower owes after each transaction. */
export async function readLedgerOnWire(sql: Sql, loan: LoanRow): Promise<Answer['ledger']> {
  const { transactions } = await readLedger(sql, loan)
  const sources = new Map((await listLedgerSources(sql, loan)).map((row) => [row.transaction_id, row]))
  const actors = await findNames(sql, [...sources.values()].map(({ actor_id }) => actor_id).filter(isUuid))
  let balance = zeroPaise
  return transactions.flatMap(({ transactionId, sequence, kind, sourceId, valueDate, postedAt, lines }) => {
    const source = sources.get(transactionId)
    if (!source) throw new Error(`Ledger transaction ${transactionId} has no source`)
    balance = paise(balance - sumLines(lines.filter(({ account }) => balanceAccounts.has(account))))
    return [
      {
        sequence: Number(sequence),
        transaction_id: transactionId,
        kind,
        source: source.source,
        source_id: kind === 'repayment' ? toPlainReference(sourceId) : sourceId,
        value_date: valueDate,
        posted_at: postedAt,
        actor: actors.get(source.actor_id) ?? source.actor_id,
        amount: source.amount_paise,
        entries: lines.map(entryOnWire),
        balance: paiseToRupees(balance),
      },
    ]
  })
}
