import type { OperationKind } from '#domain/operations.ts'
import type { LoanRecord } from './operations-queries.ts'

/** The parts of a loan that a kind is about. */
type LoanPieces = Pick<LoanRecord, 'facts' | 'tranches' | 'loan'>

/** Charges of which something can still be waived. */
export const listWaivableCharges = ({ facts }: Pick<LoanPieces, 'facts'>) => facts.charges.filter(({ pending }) => pending > 0n)

/** Payments that count, the newest first. */
export const listReversiblePayments = ({ facts }: Pick<LoanPieces, 'facts'>) =>
  facts.payments.filter(({ reversed }) => !reversed).toSorted((one, other) => other.date.localeCompare(one.date))

const stagesOf: Partial<Record<OperationKind, readonly string[]>> = {
  tranche_approve: ['requested'],
  tranche_reject: ['requested', 'approved'],
  tranche_release: ['approved'],
}

/** The disbursal requests that a kind can decide. */
export const listDecidableTranches = (kind: OperationKind, { tranches }: Pick<LoanPieces, 'tranches'>) =>
  tranches.filter(({ stage }) => (stagesOf[kind] ?? []).includes(stage))

/** A refund of the portal that the provider refused: the lender's bank can send it instead. */
export const findFailedRefund = ({ facts }: Pick<LoanPieces, 'facts'>) =>
  facts.refunds.find(({ status, reason }) => status === 'failed' && reason !== 'by_lender')

/** The new rates whose day has not come. */
export const listWithdrawableResets = ({ facts }: Pick<LoanPieces, 'facts'>) =>
  facts.rate_resets.filter(({ state }) => state !== 'effective' && state !== 'withdrawn')

/** Why a kind can do nothing for the loan now. */
export type Obstacle = 'no_charge' | 'no_payment' | 'no_tranche' | 'no_reset' | 'no_credit' | 'no_short_foreclosure' | 'closed'

/** What prevents proposing a kind; null if nothing does. The server decides in the end. */
export function findObstacle(kind: OperationKind, record: LoanPieces): Obstacle | null {
  const isClosed = record.loan.loan_status === 'CLOSED'
  switch (kind) {
    case 'charge_waive':
      return listWaivableCharges(record).length === 0 ? 'no_charge' : null
    case 'payment_reverse':
      return listReversiblePayments(record).length === 0 ? 'no_payment' : null
    case 'tranche_approve':
    case 'tranche_reject':
    case 'tranche_release':
      if (isClosed && kind !== 'tranche_reject') return 'closed'
      return listDecidableTranches(kind, record).length === 0 ? 'no_tranche' : null
    case 'rate_reset_withdraw':
      return listWithdrawableResets(record).length === 0 ? 'no_reset' : null
    case 'credit_refund':
      return record.loan.credit_amount > 0n ? null : 'no_credit'
    case 'credit_return':
      return record.loan.credit_amount > 0n || findFailedRefund(record) !== undefined ? null : 'no_credit'
    case 'foreclosure_waive':
      if (isClosed) return 'closed'
      return record.facts.short_foreclosures === 0 ? 'no_short_foreclosure' : null
    case 'charge_add':
      return isClosed ? 'closed' : null
    default:
      return null
  }
}
