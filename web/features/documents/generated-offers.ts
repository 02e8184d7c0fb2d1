import type { AllowedPayments, Loan, ScheduleRow } from '#contract/loans.ts'
import { financialYear } from '#domain/calendar.ts'
import { refuseDocument, type DocumentRefusal, type GeneratedDocumentType } from '#domain/documents.ts'

/**
 * Why a document is not offered. `not_loaded`: what decides it could not be loaded, which the
 * borrower can retry.
 */
type OfferRefusal = DocumentRefusal | 'not_loaded'

/** A document, why it is not available, and whether that is not known yet. */
export type GeneratedOffer = { type: GeneratedDocumentType; refusal: OfferRefusal | null; isPending: boolean }

/** What is known of the loan's schedule: `loading`, or null if it could not be loaded. */
type Known = { repayment_schedule: readonly ScheduleRow[]; allowed_payments: AllowedPayments } | 'loading' | null

/** By frequency of use; documents that are never issued here come last. */
const order: readonly GeneratedDocumentType[] = [
  'statement_of_account',
  'interest_certificate',
  'repayment_schedule',
  'payoff_letter',
  'loan_closure_certificate',
  'sanction_letter',
  'loan_agreement',
]

/** After the last instalment, people need the certificate and the year's interest. */
const orderWhenClosed = [...new Set<GeneratedDocumentType>(['loan_closure_certificate', 'interest_certificate', ...order])]

/**
 * Each document with the reason why it is not available for the loan now (spec §5, decision 41).
 * While the schedule is loading, what depends on it keeps its place.
 */
export const listDocumentOffers = (loan: Pick<Loan, 'loan_status'>, known: Known): readonly GeneratedOffer[] =>
  (loan.loan_status === 'CLOSED' ? orderWhenClosed : order).map((type) => {
    const status = loan.loan_status
    const loaded = known === 'loading' ? null : known
    const refusal = refuseDocument(type, {
      status,
      // A closed loan has a schedule, and nothing to pay off; what a checked one owes is not known.
      canBePaidOff: loaded ? loaded.allowed_payments.foreclosure_payment !== undefined : status !== 'CLOSED' && status !== 'UNKNOWN',
      hasSchedule: loaded === null || loaded.repayment_schedule.length > 0,
    })
    const needsSchedule = status !== 'CLOSED' && (type === 'repayment_schedule' || type === 'payoff_letter')
    const isUndecided = loaded === null && refusal === null && needsSchedule
    return { type, refusal: isUndecided && known === null ? 'not_loaded' : refusal, isPending: isUndecided && known === 'loading' }
  })

/** The refused documents by reason, so that each reason is shown once. */
export function groupRefusals(offers: readonly GeneratedOffer[]): ReadonlyMap<DocumentRefusal, readonly GeneratedDocumentType[]> {
  const groups = new Map<DocumentRefusal, GeneratedDocumentType[]>()
  for (const { type, refusal } of offers)
    if (refusal !== null && refusal !== 'not_loaded') groups.set(refusal, [...(groups.get(refusal) ?? []), type])
  return groups
}

/** The financial years in which interest can have been paid, newest first. */
export function listFinancialYears({ disbursed_on: disbursedOn, as_of: today }: Pick<Loan, 'disbursed_on' | 'as_of'>): readonly string[] {
  const start = Number(financialYear(disbursedOn ?? today).slice(0, 4))
  const end = Number(financialYear(today).slice(0, 4))
  return Array.from({ length: end - start + 1 }, (_, index) => `${end - index}-${String((end - index + 1) % 100).padStart(2, '0')}`)
}

/** The year that is asked for first: the last one that is over, for the tax return. */
export const suggestFinancialYear = (years: readonly string[]): string | null => years[1] ?? years[0] ?? null
