import * as z from 'zod/mini'
import { instalmentStatuses, loanStatuses } from '#domain/loans.ts'
import { paise } from '#domain/money.ts'
import { operationKinds, recordedPaymentModes, recordedPurposes, reversalCauses, type OperationKind } from '#domain/operations.ts'
import { loanPapers } from '#domain/documents.ts'
import { resetStates } from '#domain/rate-resets.ts'
import { trancheStages } from '#domain/tranches.ts'
import { reviewKinds } from '#domain/reviews.ts'
import { amount } from './amount.ts'
import { benchmarkCode, chargeType } from './codes.ts'
import { day, instant } from './day.ts'
import { chargeIdPattern, identifier, referencePattern } from './identifier.ts'
import { plainText } from './text.ts'

const positiveAmount = amount.check(z.refine((value) => value > paise(0n), 'must be more than 0'))
const words = (maximum: number) => plainText(maximum).check(z.refine((text) => text.trim().length >= 3, 'must have at least 3 characters'))
const chargeId = z.string().check(z.regex(chargeIdPattern, 'must be the id of a charge'))
const reference = z.string().check(z.regex(referencePattern, 'must be 1 to 64 characters without spaces, a letter or digit among them'))

/** A rate in percent with at most seven decimals. */
const ratePercent = z.number().check(
  z.gte(0),
  z.lte(100),
  z.refine((percent) => Math.round(percent * 1e7) / 1e7 === percent, 'must have at most seven decimals'),
)

const uuid = z.uuid('must be a UUID')

/** The input of each kind of proposal, on the wire in rupees and days. */
export const operationInputs = {
  charge_add: z.object({
    charge_type: chargeType,
    /** Without tax. */
    amount: positiveAmount,
    /** GST on it, added as a charge of its own. Absent: none. */
    tax_percent: z.optional(ratePercent),
    /** The day from which it is owed. Absent: the day of the execution. */
    date: z.optional(day),
  }),
  charge_waive: z.object({ charge_id: chargeId }),
  /** Without `purpose` it pays what is due, and the rest becomes credit. */
  payment_record: z.object({
    mode: z.enum(recordedPaymentModes),
    amount: positiveAmount,
    value_date: day,
    reference,
    purpose: z.optional(z.enum(recordedPurposes)),
  }),
  /**
   * `payment_id`: the ledger transaction of the payment, or the provider's id of it. `amount`: the
   * part that a chargeback took; absent: the whole payment.
   */
  payment_reverse: z.object({ payment_id: identifier, cause: z.enum(reversalCauses), amount: z.optional(positiveAmount) }).check(
    z.refine(({ amount: part, cause }) => part === undefined || cause === 'chargeback', {
      path: ['amount'],
      error: 'is for a chargeback alone',
    }),
  ),
  tranche_approve: z.object({ partner_tranche_id: identifier }),
  tranche_reject: z.object({ partner_tranche_id: identifier, cause: words(300) }),
  tranche_release: z.object({ partner_tranche_id: identifier, date: day }),
  credit_refund: z.object({ amount: positiveAmount }),
  /** Credit that the lender's bank has sent back, because the provider could not. */
  credit_return: z.object({ mode: z.enum(recordedPaymentModes), amount: positiveAmount, value_date: day, reference }),
  foreclosure_waive: z.object({}),
  review_resolve: z.object({ review_id: uuid, resolution: words(300) }),
  benchmark_publish: z.object({ code: benchmarkCode, annual_rate_percent: ratePercent, effective_on: day }),
  /** Resets the rates of all loans under the benchmark. `effective_on`: at least 15 days ahead. */
  rate_reset_run: z.object({ benchmark: benchmarkCode, effective_on: day }),
  rate_reset_withdraw: z.object({ reset_id: uuid }),
  /** `paper_id`: of POST /operations/loan-papers. */
  paper_publish: z.object({ paper_id: uuid }),
} as const satisfies Record<OperationKind, z.ZodMiniType>

/** The decoded input of a kind: amounts in paise. */
export type OperationInput<Kind extends OperationKind> = z.output<(typeof operationInputs)[Kind]>

/** An input on the wire. Which fields it has depends on the kind: {@link operationInputs}. */
export const wireInput = z.record(z.string(), z.unknown())

/** A loan before or after an operation, for the day `as_of`. */
const loanFigures = z.object({
  as_of: day,
  loan_status: z.enum(loanStatuses),
  dues: amount,
  dpd: z.int(),
  emi_amount: amount,
  /** The equated instalment from the next period on, after a tranche. */
  next_emi_amount: amount,
  due_date: z.nullable(day),
  last_due_date: z.nullable(day),
  /** What closes the loan on this day. Null if it cannot be foreclosed. */
  payoff: z.nullable(amount),
  principal_outstanding: amount,
  disbursed_amount: amount,
  credit_amount: amount,
  /** Money on its way back to the payer or returned. */
  refunded_amount: amount,
  instalments_left: z.int(),
  /** The first unpaid instalment. */
  next_row: z.nullable(z.object({ number: z.int(), due_date: day, pending_amount: amount, status: z.enum(instalmentStatuses) })),
  /** The tranche that the operation is about; null for other kinds. */
  tranche: z.nullable(z.object({ partner_tranche_id: z.string(), stage: z.enum(trancheStages), amount, date: day })),
  /** The rate reset that the operation is about; absent for other kinds. Rates are percent. */
  rate_reset: z.optional(z.object({ state: z.enum(resetStates), from: z.number(), to: z.number(), effective_on: day })),
  /**
   * What a reversal or a waiver is about, before it; absent for other kinds and in proposals of
   * earlier versions.
   */
  payment: z.optional(z.object({ mode: z.string(), reference: z.string(), amount, value_date: day })),
  charge: z.optional(z.object({ charge_type: z.string(), date: day })),
})
export type LoanFigures = z.output<typeof loanFigures>

/** A difference for a person to settle, before or after it is resolved. */
const reviewRecord = z.object({
  review_id: z.string(),
  review_kind: z.enum(reviewKinds),
  review_state: z.enum(['open', 'resolved']),
  found_at: instant,
  due_on: z.nullable(day),
  resolution: z.nullable(z.string()),
})
export type ReviewRecord = z.output<typeof reviewRecord>

/** The rate of a benchmark from a day on. Null before its first rate. */
const benchmarkRecord = z.object({
  benchmark: z.string(),
  annual_rate_percent: z.nullable(z.number()),
  effective_on: z.nullable(day),
})

/** A run of rate resets: what is reset now, and what would be. */
const resetRunRecord = z.extend(benchmarkRecord, {
  /** The day of the figures. Absent in proposals of earlier versions. */
  as_of: z.optional(day),
  /** The loans under the benchmark. */
  loans_read: z.int(),
  /** The loans whose rate changes. */
  loans_reset: z.int(),
  /** The loans whose EMI rises by the default, and the largest rise, with its loan. */
  emis_raised: z.int(),
  /** The loans whose EMI is then more than their mandate allows. */
  caps_exceeded: z.int(),
  largest_emi_rise: z.nullable(amount),
  largest_emi_rise_lan: z.nullable(z.string()),
})

/** A paper of a loan, before or after it is published. */
const paperRecord = z.object({
  paper_id: z.string(),
  paper: z.enum(loanPapers),
  filename: z.string(),
  size_bytes: z.int(),
  sha256: z.string(),
  paper_state: z.enum(['waiting', 'published']),
})

/** The loan, or for kinds that touch no loan the record. */
const previewSide = z.union([loanFigures, reviewRecord, paperRecord, resetRunRecord, benchmarkRecord])
export type PreviewSide = z.output<typeof previewSide>

/** One entry that the execution adds to the ledger. Exactly one of debit and credit is above 0. */
const ledgerLine = z.object({
  /** The number of its transaction within the preview, from 1. */
  transaction: z.int(),
  kind: z.string(),
  value_date: day,
  account: z.string(),
  debit: amount,
  credit: amount,
  instalment_number: z.nullable(z.int()),
  charge_id: z.nullable(z.string()),
})
export type LedgerLine = z.output<typeof ledgerLine>

/**
 * What to know before deciding. `link_open`: the borrower can pay this link, and the execution
 * waits until it ends or is cancelled with `cancel_link`. `link_will_be_cancelled`: the fact has
 * happened, so the link is cancelled right after. `day_ends`: it is after 23:00 in India, and the
 * figures hold until midnight. `charges_not_listed`: the loan's product has no list of disclosed
 * charges; the key facts statement has to list this one. `enough_to_close`: the payment is enough
 * to close the loan, and is recorded without the purpose FORECLOSURE.
 */
const previewWarning = z.object({
  code: z.enum(['link_open', 'link_will_be_cancelled', 'day_ends', 'charges_not_listed', 'enough_to_close']),
  payment_link_id: z.optional(z.nullable(z.string())),
  expires_at: z.optional(instant),
})
export type PreviewWarning = z.output<typeof previewWarning>

/** The effect of an operation, computed by executing it and rolling back. */
export const preview = z.object({
  before: previewSide,
  after: previewSide,
  lines: z.array(ledgerLine),
  warnings: z.array(previewWarning),
  /** Of kind, input, figures, lines, day and ledger sequence; what the checker approves. */
  preview_hash: z.string(),
})
export type Preview = z.output<typeof preview>

export const operationKind = z.enum(operationKinds)
