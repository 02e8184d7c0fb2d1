import type { operationActs } from '#contract/staff.ts'
import type { OperationKind } from '#domain/operations.ts'

/** The action of each kind in the access log and in the borrower's list of staff actions. */
export const actOfOperation: Readonly<Record<OperationKind, (typeof operationActs)[number]>> = {
  charge_add: 'charge_added',
  charge_waive: 'charge_waived',
  payment_record: 'payment_recorded',
  payment_reverse: 'payment_reversed',
  tranche_approve: 'tranche_approved',
  tranche_reject: 'tranche_rejected',
  tranche_release: 'tranche_released',
  credit_refund: 'credit_refunded',
  foreclosure_waive: 'foreclosure_waived',
  review_resolve: 'review_resolved',
}
