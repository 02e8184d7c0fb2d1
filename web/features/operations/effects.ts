import type { LoanFigures, Preview, PreviewSide, PreviewWarning } from '#contract/operation-kinds.ts'
import { dayInIndia } from '#domain/calendar.ts'

/** The figures of a loan in the order in which they are read. */
const figureKeys = [
  'loan_status',
  'dues',
  'dpd',
  'emi_amount',
  'last_due_date',
  'payoff',
  'tranche',
  'rate_reset',
  'principal_outstanding',
  'disbursed_amount',
  'next_emi_amount',
  'due_date',
  'next_row',
  'instalments_left',
  'credit_amount',
  'refunded_amount',
] as const satisfies readonly (keyof LoanFigures)[]
export type FigureKey = (typeof figureKeys)[number]

/** These are shown when they stay the same too: a checker looks for them. */
const mainKeys: readonly FigureKey[] = figureKeys.slice(0, 6)

export const isLoanFigures = (side: PreviewSide): side is LoanFigures => 'loan_status' in side

/** A new rate that nobody has been told of: its withdrawal is not announced either. */
export const isUnannouncedReset = (before: PreviewSide): boolean => isLoanFigures(before) && before.rate_reset?.state === 'computed'

const isEqual = (one: unknown, other: unknown): boolean => write(one) === write(other)
const write = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

type Effects = { changed: FigureKey[]; shown: FigureKey[]; folded: FigureKey[] }

/** Which figures change, which are shown, and which are folded away because they stay. */
export function listEffects(before: LoanFigures, after: LoanFigures): Effects {
  const known = figureKeys.filter((key) => (before[key] ?? after[key] ?? null) !== null)
  const changed = known.filter((key) => !isEqual(before[key], after[key]))
  const shown = known.filter((key) => changed.includes(key) || mainKeys.includes(key))
  return { changed, shown, folded: known.filter((key) => !shown.includes(key)) }
}

/**
 * The warnings of a stored preview without that of a midnight that has passed. A link can be open
 * after its expiry, until the provider confirms it: its warning stays.
 */
export const listCurrentWarnings = ({ warnings, after }: Pick<Preview, 'warnings' | 'after'>, nowMs: number): PreviewWarning[] =>
  warnings.filter(({ code }) => code !== 'day_ends' || (isLoanFigures(after) && after.as_of >= dayInIndia(new Date(nowMs))))

type RecordSide = Exclude<PreviewSide, LoanFigures>

/** The figures of a record that are shown, in this order. */
const recordKeys = [
  'review_state',
  'resolution',
  'benchmark',
  'annual_rate_percent',
  'effective_on',
  'loans_read',
  'loans_reset',
  'emis_raised',
  'caps_exceeded',
  'largest_emi_rise',
  'largest_emi_rise_lan',
  'paper',
  'filename',
  'sha256',
  'paper_state',
] as const
export type RecordKey = (typeof recordKeys)[number]

/** The shown figures of a record before and after. Amounts are paise. */
export function listRecordEffects(before: RecordSide, after: RecordSide): { key: RecordKey; before: unknown; after: unknown }[] {
  const [earlier, later] = [before, after] as [Record<string, unknown>, Record<string, unknown>]
  return recordKeys.filter((key) => key in later).map((key) => ({ key, before: earlier[key], after: later[key] }))
}
