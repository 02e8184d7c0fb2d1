import { hourMs } from './durations.ts'

/**
 * What staff may propose. Each kind is one entry of a table: server/operations/kinds.ts for loans,
 * record-kinds.ts for the others.
 */
export const operationKinds = [
  'charge_add',
  'charge_waive',
  'payment_record',
  'payment_reverse',
  'tranche_approve',
  'tranche_reject',
  'tranche_release',
  'credit_refund',
  'credit_return',
  'foreclosure_waive',
  'review_resolve',
  'benchmark_publish',
  'rate_reset_run',
  'rate_reset_withdraw',
  'paper_publish',
] as const
export type OperationKind = (typeof operationKinds)[number]

/** The kinds that change no loan. Their preview is the record before and after. */
export const recordOperationKinds = [
  'review_resolve',
  'benchmark_publish',
  'rate_reset_run',
  'paper_publish',
] as const satisfies readonly OperationKind[]
export type RecordOperationKind = (typeof recordOperationKinds)[number]

/**
 * The states of a proposal. It is `proposed` once; every other state is final. `failed`: it was
 * approved, but the loan no longer allows it.
 */
export const proposalStates = ['proposed', 'executed', 'rejected', 'withdrawn', 'expired', 'failed'] as const
export type ProposalState = (typeof proposalStates)[number]
/** An expired proposal is stored as proposed. */
export type StoredProposalState = Exclude<ProposalState, 'expired'>

/** A proposal that nobody decides expires after this. */
export const proposalLifetimeMs = 72 * hourMs

/** The reason of a proposal has at least this many characters. */
export const proposalReasonMinimum = 10

/** The reason for rejecting or withdrawing a proposal has at least this many characters. */
export const closingReasonMinimum = 3

/** Why a loan or a record does not allow an operation. The web has a sentence for each. */
export const operationRefusals = [
  'benchmark_not_used',
  'benchmark_without_rate',
  'charge_before_closing',
  'charge_before_payments',
  'charge_not_allowed',
  'charge_not_open',
  'charge_waived',
  'credit_not_returnable',
  'credit_refunded',
  'credit_too_small',
  'day_before_sanction',
  'day_outside',
  'facts_do_not_allow',
  'foreclosure_not_short',
  'foreclosure_nothing_left',
  'foreclosure_above_maximum',
  'future_date',
  'input_invalid',
  'loan_closed',
  'paper_published',
  'payment_ambiguous',
  'payment_refunded',
  'payment_reversed',
  'payment_unknown',
  'penal_without_tax',
  'personal_data',
  'rate_published',
  'reference_proposed',
  'reference_taken',
  'refund_before_request',
  'refund_money_gone',
  'reset_already_effective',
  'reset_too_far',
  'reset_too_soon',
  'reset_unknown',
  'reset_withdrawn',
  'review_resolved',
  'run_under_way',
  'text_too_short',
  'taken_amount',
  'tranche_decided',
  'tranche_imported_differs',
  'tranche_not_approved',
  'tranche_unknown',
] as const
export type OperationRefusal = (typeof operationRefusals)[number]

/**
 * Why the portal itself ended a proposal: the operation was refused, or the maker's account was
 * disabled.
 */
export const decisionCauses = [...operationRefusals, 'maker_disabled'] as const
export type DecisionCause = (typeof decisionCauses)[number]

/** The modes of a payment that staff may record. */
export const recordedPaymentModes = ['neft', 'rtgs', 'imps', 'upi', 'cheque', 'cash'] as const
/**
 * What such a payment can be for, besides what is due: amounts above the limit of a payment link
 * are paid by transfer (decision 9).
 */
export const recordedPurposes = ['FORECLOSURE', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR'] as const

/**
 * Why a payment is reversed. A bounce and a chargeback have happened at the bank, so they do not
 * wait for the end of an open payment link (decision 53).
 */
export const reversalCauses = ['bounced', 'chargeback', 'wrong_loan', 'recorded_twice', 'other'] as const
type ReversalCause = (typeof reversalCauses)[number]
/** True for a reversal that the bank has made already: a bounce or a chargeback. */
export const isReportedByBank = (cause: ReversalCause): boolean => cause === 'bounced' || cause === 'chargeback'
