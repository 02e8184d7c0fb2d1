import type { OperationInput, PreviewWarning } from '#contract/operation-kinds.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { sumPaise, zeroPaise, type Paise } from '#domain/money.ts'
import { percentToPpb } from '#domain/rates.ts'
import { isReportedByBank, type OperationKind, type RecordOperationKind } from '#domain/operations.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { readReceiptNumber } from '../ledger/receipt-store.ts'
import { addCharges, chargeWithTax, checkDisclosed } from '../loan-changes/add-charge.ts'
import type { LoanChange, LoanTransaction } from '../loan-changes/change-loan.ts'
import { findClosingQuote, recordPayment } from '../loan-changes/record-payment.ts'
import { toPlainReference } from '../ledger/repeated-payments.ts'
import { waiveCharge } from '../loan-changes/waive-charge.ts'
import { waiveForeclosure } from '../loan-changes/waive-foreclosure.ts'
import { withdrawReset } from '../rate-resets/withdraw-reset.ts'
import { reverseByPeople } from '../payments/refunds/record-taken-back.ts'
import { refundCredit } from '../payments/refunds/refund-credit.ts'
import { returnByBank } from '../payments/refunds/return-by-bank.ts'
import { approveTranche, rejectTranche, releaseTranche, type Decision } from '../tranches/decide-tranche.ts'
import type { LoanPart } from './loan-figures.ts'
import { findNamedPayment, listPaymentsOfReference, listRepayments } from './loan-record-store.ts'
import { refused, type RefusalFields } from './refusals.ts'

/** A locked loan, and the other inputs of an execution. */
type LoanWork = LoanTransaction & { jobs: Jobs; reason: string; chargeId: string }

type Executed = {
  /** The amount that is compared with the limit for one person. Null: the kind has no amount. */
  amountPaise: Paise | null
  /** For the access log. */
  detail: Readonly<Record<string, string>>
  warnings?: PreviewWarning[]
}

/** A kind that changes a loan. */
type LoanKind<Kind extends OperationKind> = RefusalFields & {
  /** How the execution treats an open payment link (decision 53). */
  whileLinkOpen(input: OperationInput<Kind>): LoanChange<unknown>['whileLinkOpen']
  /** The part whose state the preview also shows. */
  partOf?(input: OperationInput<Kind>): LoanPart
  /**
   * Writes the fact, its ledger lines, its notice and its jobs.
   *
   * @throws LedgerRefusal or Failure ProposalRefused if the loan does not allow it.
   */
  execute(work: LoanWork, input: OperationInput<Kind>): Promise<Executed>
}

export type LoanOperationKind = Exclude<OperationKind, RecordOperationKind>

const createTrancheKind = <Kind extends 'tranche_approve' | 'tranche_reject' | 'tranche_release'>(
  kind: Omit<LoanKind<Kind>, 'execute' | 'field' | 'partOf'> & {
    decide(work: LoanWork, input: OperationInput<Kind>): Promise<Decision>
  },
): LoanKind<Kind> => ({
  ...kind,
  field: 'input.partner_tranche_id',
  partOf: ({ partner_tranche_id: trancheId }) => ({ trancheId }),
  async execute(work, input) {
    const { tranche: decided, isNew } = await kind.decide(work, input)
    const { partner_tranche_id: id, amount_paise: amountPaise } = decided
    if (!isNew) throw refused('input.partner_tranche_id', `Tranche ${id} is ${decided.stage} already.`, 'tranche_decided')
    return { amountPaise, detail: { partner_tranche_id: id, ...('cause' in input && { cause: input.cause }) } }
  },
})

/** Every kind of proposal that changes a loan. */
export const loanKinds: { [Kind in LoanOperationKind]: LoanKind<Kind> } = {
  charge_add: {
    field: 'input.amount',
    fields: { future_date: 'input.date' },
    whileLinkOpen: () => 'refuse',
    async execute(work, { charge_type: chargeType, amount, tax_percent: taxPercent = 0, date = dayInIndia(work.now) }) {
      const { sql, own, chargeId } = work
      const isDisclosed = await checkDisclosed(sql, own, chargeType)
      const charges = chargeWithTax({ chargeId, date, chargeType, amountPaise: amount, penal: false }, percentToPpb(taxPercent))
      await addCharges(work, charges)
      const detail = { charges: charges.map((charge) => charge.chargeId).join(' ') }
      const warnings = isDisclosed ? [] : [{ code: 'charges_not_listed' } as const]
      return { amountPaise: sumPaise(charges.map(({ amountPaise }) => amountPaise)), detail, warnings }
    },
  },
  charge_waive: {
    field: 'input.charge_id',
    whileLinkOpen: () => 'refuse',
    partOf: ({ charge_id: charge }) => ({ chargeId: charge }),
    async execute(work, { charge_id: charge }) {
      const amountPaise = await waiveCharge(work, charge, dayInIndia(work.now))
      if (amountPaise === null) throw refused('input.charge_id', 'The charge was waived before.', 'charge_waived')
      return { amountPaise, detail: { charge } }
    },
  },
  payment_record: {
    field: 'input.amount',
    fields: { future_date: 'input.value_date' },
    whileLinkOpen: () => 'cancel_after',
    async execute(work, { mode, amount, value_date: date, reference, purpose = null }) {
      const { sql, own, now } = work
      const paid = { amountPaise: amount, mode, reference, date, purpose }
      const posted = await recordPayment(work, paid)
      if (!posted.isNew) throw refused('input.reference', `The payment ${mode} ${reference} was recorded before.`, 'reference_taken')
      const isEnoughToClose = purpose === null && findClosingQuote(own.facts, paid, now) !== null
      const receiptNumber = await readReceiptNumber(sql, own.loan, posted.paymentId)
      return {
        amountPaise: amount,
        detail: { mode, reference, transaction_id: posted.paymentId, receipt_number: receiptNumber, ...(purpose && { purpose }) },
        ...(isEnoughToClose && { warnings: [{ code: 'enough_to_close' }] }),
      }
    },
  },
  payment_reverse: {
    field: 'input.payment_id',
    whileLinkOpen: ({ cause }) => (isReportedByBank(cause) ? 'cancel_after' : 'refuse'),
    partOf: ({ payment_id: paymentId }) => ({ paymentId }),
    async execute(work, { payment_id: paymentId, cause, amount: partPaise }) {
      const { sql, own } = work
      const payments = await listRepayments(sql, own.loan)
      if (listPaymentsOfReference(payments, paymentId).length > 1)
        throw refused('input.payment_id', `${paymentId} is the reference of several payments: name the transaction.`, 'payment_ambiguous')
      const payment = findNamedPayment(payments, paymentId)
      if (!payment) throw refused('input.payment_id', `Loan ${own.loan.lan} has no payment ${paymentId}.`, 'payment_unknown')
      // Its reference can be that of a later payment, which is not the one that was named.
      if (payment.reversal_id !== null) throw refused('input.payment_id', `Payment ${paymentId} was reversed before.`, 'payment_reversed')
      const { source, source_id: sourceId } = payment
      const reversal = { source, sourceId, isReportedByBank: isReportedByBank(cause), partPaise }
      const { amountPaise, paymentId: transactionId } = await reverseByPeople(work, reversal)
      return { amountPaise, detail: { mode: source, reference: toPlainReference(sourceId), transaction_id: transactionId, cause } }
    },
  },
  tranche_approve: createTrancheKind({
    whileLinkOpen: () => 'keep',
    decide: (work, input) => approveTranche(work, input.partner_tranche_id),
  }),
  tranche_reject: createTrancheKind({
    whileLinkOpen: () => 'keep',
    decide: (work, input) => rejectTranche(work, input.partner_tranche_id),
  }),
  tranche_release: createTrancheKind({
    fields: { future_date: 'input.date' },
    whileLinkOpen: () => 'refuse',
    decide: (work, { partner_tranche_id: id, date }) => releaseTranche(work, id, date),
  }),
  credit_refund: {
    field: 'input.amount',
    whileLinkOpen: () => 'refuse',
    async execute({ sql, jobs, own, now, actorId, reason }, { amount }) {
      const refundIds = await refundCredit(sql, jobs, own, { amountPaise: amount, note: reason, askedBy: actorId }, now)
      return { amountPaise: amount, detail: { refunds: refundIds.join(' ') } }
    },
  },
  credit_return: {
    field: 'input.amount',
    fields: { future_date: 'input.value_date' },
    whileLinkOpen: () => 'cancel_after',
    async execute(work, { mode, amount, value_date: date, reference }) {
      const returned = { mode, reference, amountPaise: amount, date }
      const transactionId = await returnByBank(work, returned)
      return { amountPaise: amount, detail: { mode, reference, transaction_id: transactionId } }
    },
  },
  rate_reset_withdraw: {
    field: 'input.reset_id',
    whileLinkOpen: () => 'keep',
    partOf: ({ reset_id: resetId }) => ({ resetId }),
    async execute(work, { reset_id: resetId }) {
      const { effective_on, to_rate_ppb } = await withdrawReset(work, resetId)
      return { amountPaise: null, detail: { reset: resetId, effective_on, to_rate_ppb: String(to_rate_ppb) } }
    },
  },
  foreclosure_waive: {
    field: 'kind',
    whileLinkOpen: () => 'refuse',
    async execute(work) {
      const amountPaise = await waiveForeclosure(work)
      return { amountPaise, detail: {} }
    },
  },
}

/** The amounts below which one person suffices. */
export type OperationLimits = Partial<Record<OperationKind, Paise>>

/** True if one person suffices: the amount is below the limit of its kind, by default ₹0. */
export const isBelowLimit = (kind: OperationKind, amountPaise: Paise | null, limits: OperationLimits): boolean =>
  amountPaise !== null && amountPaise < (limits[kind] ?? zeroPaise)
