import type { Day } from './calendar.ts'
import { addDays } from './calendar.ts'
import type { LoanFacts, LoanState } from './loans.ts'
import { paise, zeroPaise, type Paise } from './money.ts'
import { instalmentPending } from './schedule.ts'

export const mandateMethods = ['upi', 'emandate'] as const
/** How instalments are debited: UPI Autopay, or an eMandate (eNACH). */
export type MandateMethod = (typeof mandateMethods)[number]

/** How the borrower proves to the bank that an eMandate is theirs. */
export const mandateAuthTypes = ['netbanking', 'debitcard', 'aadhaar'] as const
export type MandateAuthType = (typeof mandateAuthTypes)[number]

/**
 * `creating`: not confirmed by the provider. `issued`: the borrower can approve it. `initiated`:
 * approved, and the bank decides. `ending`: nothing is debited any more, and the provider has not
 * confirmed the end.
 */
export const mandateStatuses = [
  'creating',
  'issued',
  'initiated',
  'active',
  'paused',
  'ending',
  'ended',
  'expired',
  'cancelled',
  'rejected',
] as const
export type MandateStatus = (typeof mandateStatuses)[number]

/** A loan has at most one mandate in these statuses. */
export const liveMandateStatuses = ['creating', 'issued', 'initiated', 'active', 'paused', 'ending'] as const satisfies MandateStatus[]

/** True if the loan can have no other mandate beside this one. */
export const isLiveMandate = (status: MandateStatus): boolean => (liveMandateStatuses as readonly MandateStatus[]).includes(status)

/**
 * Why a mandate is over. `borrower`: in the portal. `app`: in the UPI app or at the bank.
 * `refused`: the provider did not create it. `bank`: the bank ended or rejected it. `expired`: its
 * own last day. `loan_closed`: nothing is owed any more.
 */
export const mandateEndReasons = ['borrower', 'app', 'refused', 'bank', 'expired', 'loan_closed'] as const
export type MandateEndReason = (typeof mandateEndReasons)[number]

export type MandateEvent =
  | 'issued'
  | 'link_expired'
  | 'link_cancelled'
  | 'approved'
  | 'confirmed'
  | 'rejected'
  | 'paused'
  | 'resumed'
  | 'end_requested'
  | 'ended'

type Step<Status> = { from: readonly Status[]; to: Status }

/**
 * The statuses in which each event counts, and the status after it. Only `paused` and `active`
 * follow each other in both directions.
 */
const mandateSteps: Readonly<Record<MandateEvent, Step<MandateStatus>>> = {
  issued: { from: ['creating'], to: 'issued' },
  link_expired: { from: ['creating', 'issued'], to: 'expired' },
  link_cancelled: { from: ['creating', 'issued'], to: 'cancelled' },
  approved: { from: ['creating', 'issued'], to: 'initiated' },
  confirmed: { from: ['creating', 'issued', 'initiated'], to: 'active' },
  rejected: { from: ['initiated'], to: 'rejected' },
  paused: { from: ['active'], to: 'paused' },
  resumed: { from: ['paused'], to: 'active' },
  end_requested: { from: ['initiated', 'active', 'paused'], to: 'ending' },
  ended: { from: ['initiated', 'active', 'paused', 'ending'], to: 'ended' },
}

const stepAfter = <Status>(current: Status, { from, to }: Step<Status>): Status => (from.includes(current) ? to : current)

/** The mandate's status after an event. A repeated or late event changes nothing. */
export const advanceMandate = (current: MandateStatus, event: MandateEvent): MandateStatus => stepAfter(current, mandateSteps[event])

/** True if the event changes a mandate in this status. */
export const canAdvanceMandate = (current: MandateStatus, event: MandateEvent): boolean => mandateSteps[event].from.includes(current)

/**
 * One debit of a mandate for one due date. `announced`: the borrower knows day and amount.
 * `presented`: the provider was asked to debit, and the outcome is not known.
 */
export const collectionStatuses = ['planned', 'announced', 'presented', 'captured', 'failed', 'skipped'] as const
export type CollectionStatus = (typeof collectionStatuses)[number]

/** The statuses of a collection that has no outcome yet. */
export const openCollectionStatuses = ['planned', 'announced', 'presented'] as const satisfies readonly CollectionStatus[]

/** True while a collection has no outcome yet. */
export const isOpenCollection = ({ status }: { status: CollectionStatus }): boolean =>
  (openCollectionStatuses as readonly CollectionStatus[]).includes(status)

/** Why nothing was debited. `amount_changed` and `superseded`: another collection follows. */
export type SkipReason = 'paid' | 'borrower' | 'amount_changed' | 'superseded' | 'closed' | 'mandate' | 'cap' | 'link_open'

export type CollectionEvent = 'announced' | 'presented' | 'captured' | 'failed' | 'skipped'

/** As {@link mandateSteps}. A failed debit can still turn out to be captured. */
const collectionSteps: Readonly<Record<CollectionEvent, Step<CollectionStatus>>> = {
  announced: { from: ['planned'], to: 'announced' },
  presented: { from: ['announced'], to: 'presented' },
  captured: { from: ['presented', 'failed'], to: 'captured' },
  failed: { from: ['presented'], to: 'failed' },
  skipped: { from: ['planned', 'announced'], to: 'skipped' },
}

/** The collection's status after an event. A repeated or late event changes nothing. */
export const advanceCollection = (current: CollectionStatus, event: CollectionEvent): CollectionStatus =>
  stepAfter(current, collectionSteps[event])

/** Our reason for a debit whose request the provider never received. */
export const notPresentedReason = 'not_presented'

/** Our reason for a debit that the provider did not capture in time: its money went back. */
export const notCapturedReason = 'not_captured'

/** What follows a failed debit. */
export type FailureClass = 'technical' | 'funds' | 'ask_borrower' | 'mandate_ended' | 'review'

/**
 * What the notice of a failed debit is about. `_last`: the instalment has no other debit.
 * `mandate_cancelled`: the borrower had ended autopay while it was presented. `mandate_over`:
 * neither the borrower in the portal nor the bank has ended it. `paid`: something else has paid
 * what it was for.
 */
export type FailureSubject =
  | FailureClass
  | 'technical_last'
  | 'funds_last'
  | typeof notPresentedReason
  | `${typeof notPresentedReason}_last`
  | typeof notCapturedReason
  | 'mandate_cancelled'
  | 'mandate_over'
  | 'paid'

/** Classes of the provider's `error_reason` (Razorpay, "Error codes of recurring payments"). */
const failureClasses: Readonly<Record<Exclude<FailureClass, 'review'>, readonly string[]>> = {
  technical: [
    'bank_technical_error',
    'gateway_technical_error',
    'psp_timeout',
    'request_timed_out',
    'payment_timed_out',
    'pre_debit_notification_failed',
    'payment_mandate_not_active',
    notPresentedReason,
    notCapturedReason,
  ],
  funds: ['insufficient_funds'],
  ask_borrower: [
    'mandate_paused',
    'transaction_limit_exceeded',
    'mandate_debit_beyond_psp_amount_cap',
    'payer_account_has_changed',
    'debit_instrument_blocked',
  ],
  mandate_ended: [
    'mandate_cancelled',
    'mandate_expired',
    'mandate_not_active',
    'invalid_token',
    'bank_account_invalid',
    'umn_does_not_exist_payer',
    'remitter_account_dormant',
  ],
}

/** The days after its registration in which a bank may not know an eMandate yet. */
const newMandateDays = 5

/**
 * Classifies the provider's reason of a failed debit. A reason that is not listed needs a person.
 *
 * @param mandate `isNew`: an eMandate that was confirmed at most five days before.
 */
export function classifyFailure(reason: string, mandate: { isNew: boolean }): FailureClass {
  if (reason === 'mandate_not_active' && mandate.isNew) return 'technical'
  const classes = Object.keys(failureClasses) as Exclude<FailureClass, 'review'>[]
  return classes.find((name) => failureClasses[name].includes(reason)) ?? 'review'
}

/** True if a bank may not know the eMandate yet, so that a failure does not end it. */
export const isNewMandate = (method: MandateMethod, activeOn: Day, debitOn: Day): boolean =>
  method === 'emandate' && debitOn <= addDays(activeOn, newMandateDays)

/**
 * The most presentations of one due date: the first, and two more in 30 days (NPCI, NACH
 * 2023-24/007 and 012).
 */
export const attemptsMax = 3
const retryWithinDays = 30
/** The last day of another debit for a due date. */
export const lastRetryDay = (firstDebitOn: Day): Day => addDays(firstDebitOn, retryWithinDays)
/** A debit that the borrower asks for comes at least this many days after the one that failed. */
const retryAfterDays = 3

/**
 * The days on which the borrower may have a failed debit tried again. Null if there are none.
 *
 * @param firstDebitOn the day of the first presentation for the due date.
 * @param beforeNext the last day before the debit of the next instalment; null if there is none.
 */
export function retryDays(
  failed: { attempt: number; debitOn: Day; firstDebitOn: Day },
  beforeNext: Day | null,
  today: Day,
): { from: Day; until: Day } | null {
  if (failed.attempt >= attemptsMax) return null
  const earliest = addDays(failed.debitOn, retryAfterDays)
  const announceable = addDays(today, 2)
  const from = earliest > announceable ? earliest : announceable
  const last = lastRetryDay(failed.firstDebitOn)
  const until = beforeNext === null || last < beforeNext ? last : beforeNext
  return from > until ? null : { from, until }
}

/** What the lender allows. */
export type AutopayRules = {
  /** The setting KIST_AUTOPAY_METHODS. */
  methods: readonly MandateMethod[]
  /** The largest single debit by UPI; not a setting. */
  upiDebitMaximumPaise: Paise
  /** The largest cap of a UPI mandate; `upi_mandate_max` of brand.json. */
  upiMandateMaximumPaise: Paise
}

/** The largest single debit of a mandate. */
export const debitMaximum = (mandate: { method: MandateMethod; maximumPaise: Paise }, rules: AutopayRules): Paise =>
  mandate.method === 'upi' && mandate.maximumPaise > rules.upiDebitMaximumPaise ? rules.upiDebitMaximumPaise : mandate.maximumPaise

/** What a debit pays: an instalment by its due date, or a charge by its id. */
export type DebitPart = { kind: 'instalment'; dueDate: Day; amountPaise: Paise } | { kind: 'charge'; chargeId: string; amountPaise: Paise }

export type DebitDecision =
  | { kind: 'nothing_due' }
  /** What is due cannot be computed now: the debit waits. */
  | { kind: 'unknown' }
  /** Not even the oldest instalment of a rupee or more fits: the amount is what that would need. */
  | { kind: 'above_cap'; amountPaise: Paise; parts: readonly DebitPart[] }
  | { kind: 'debit'; amountPaise: Paise; parts: readonly DebitPart[] }

/** Everything unpaid on a day, in the order in which money pays it (decision 21). */
function unpaidParts(state: LoanState, allocation: LoanFacts['terms']['allocation'], day: Day): DebitPart[] {
  const instalments = state.rows.flatMap((row): DebitPart[] => {
    const amountPaise = instalmentPending(row)
    return row.dueDate <= day && amountPaise > 0n ? [{ kind: 'instalment', dueDate: row.dueDate, amountPaise }] : []
  })
  const charges = state.rows.flatMap((row) =>
    row.charges.map(({ chargeId, pendingPaise }): DebitPart => ({ kind: 'charge', chargeId, amountPaise: pendingPaise })),
  )
  return allocation === 'charges_first' ? [...charges, ...instalments] : [...instalments, ...charges]
}

/**
 * What to debit on a day: everything unpaid that is due up to it. If that exceeds the cap, the
 * oldest whole parts that fit; an instalment is never split.
 *
 * @param state the loan during the day of the debit.
 */
export function decideDebit({ terms }: LoanFacts, state: LoanState, day: Day, capPaise: Paise): DebitDecision {
  if (state.status === 'UNKNOWN') return { kind: 'unknown' }
  if (state.status === 'CLOSED') return { kind: 'nothing_due' }
  const unpaid = unpaidParts(state, terms.allocation, day)
  const parts: DebitPart[] = []
  let sum: bigint = zeroPaise
  for (const part of unpaid) {
    if (sum + part.amountPaise > capPaise) break
    parts.push(part)
    sum += part.amountPaise
  }
  // The provider takes no debit below one rupee; such a rest is paid with the next instalment.
  const isBelowOneRupee = sum < 100n
  if (isBelowOneRupee && sum === totalOf(unpaid)) return { kind: 'nothing_due' }
  const isInstalment = ({ kind, amountPaise }: DebitPart) => kind === 'instalment' && amountPaise >= 100n
  if (isBelowOneRupee || (unpaid.some(isInstalment) && !parts.some(isInstalment))) {
    const needed = unpaid.slice(0, parts.length + 1)
    return { kind: 'above_cap', amountPaise: paise(totalOf(needed)), parts: needed }
  }
  return { kind: 'debit', amountPaise: paise(sum), parts }
}

const totalOf = (parts: readonly DebitPart[]): bigint => parts.reduce((sum, { amountPaise }) => sum + amountPaise, 0n)

/**
 * True if something else has paid every instalment that a debit was for, so that its money is
 * refunded whole (decision 49), also what was for charges. A debit of charges alone is refunded
 * when those are paid.
 *
 * @param state the loan without the debit's money.
 */
export function isPaidOtherwise(parts: readonly DebitPart[], { terms }: LoanFacts, state: LoanState, today: Day): boolean {
  if (state.status === 'UNKNOWN') return false
  const unpaid = unpaidParts(state, terms.allocation, today)
  const instalments = parts.filter(({ kind }) => kind === 'instalment')
  return !(instalments.length > 0 ? instalments : parts).some((part) =>
    unpaid.some((left) =>
      part.kind === 'instalment'
        ? left.kind === 'instalment' && left.dueDate === part.dueDate
        : left.kind === 'charge' && left.chargeId === part.chargeId,
    ),
  )
}

/** An IFSC, as the Reserve Bank forms it. */
export const isIfsc = (text: string): boolean => /^[A-Z]{4}0[A-Z0-9]{6}$/.test(text)

/** A bank account number of 9 to 18 digits. */
export const isAccountNumber = (text: string): boolean => /^[0-9]{9,18}$/.test(text)

/** Bank and last four digits: all that is kept of an account. */
export const hintAccount = (ifsc: string, accountNumber: string): string => `${ifsc.slice(0, 4)} ${accountNumber.slice(-4)}`
