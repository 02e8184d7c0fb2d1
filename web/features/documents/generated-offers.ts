import type { AllowedPayments, Loan, ScheduleRow } from '#contract/loans.ts'
import { addMonths, financialYear, type Day } from '#domain/calendar.ts'
import { generatedDocumentTypes, refuseDocument, type DocumentRefusal, type GeneratedDocumentType } from '#domain/documents.ts'

type GeneratedOffer = { type: GeneratedDocumentType; refusal: DocumentRefusal | null }

/** The loan's schedule; null until it is loaded. */
type Known = { repayment_schedule: readonly ScheduleRow[]; allowed_payments: AllowedPayments } | null

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

/**
 * Each document with the reason why it is not available for the loan now (spec §5, decision 41).
 */
export const listDocumentOffers = (loan: Pick<Loan, 'loan_status'>, known: Known): readonly GeneratedOffer[] =>
  order
    .filter((type) => generatedDocumentTypes.includes(type))
    .map((type) => ({
      type,
      refusal: refuseDocument(type, {
        status: loan.loan_status,
        canBePaidOff: known?.allowed_payments.foreclosure_payment !== undefined,
        hasSchedule: known !== null && known.repayment_schedule.length > 0,
      }),
    }))

/** The financial years with interest, newest first, from the month before the first instalment. */
export function listFinancialYears(known: Known, today: Day): readonly string[] {
  const first = known?.repayment_schedule[0]?.due_date
  const from = first === undefined ? today : addMonths(first, -1)
  const start = Number(financialYear(from < today ? from : today).slice(0, 4))
  const end = Number(financialYear(today).slice(0, 4))
  return Array.from({ length: end - start + 1 }, (_, index) => `${end - index}-${String((end - index + 1) % 100).padStart(2, '0')}`)
}

/** '{label}_{YYYY-MM-DD}.pdf' (spec §7). */
export const buildFilename = (label: string, today: Day): string => `${label}_${today}.pdf`
