import type { LoanFigures, PreviewSide, ReviewRecord } from '#contract/operation-kinds.ts'

/** The figures of a loan in the order in which they are read. */
const figureKeys = [
  'loan_status',
  'dues',
  'dpd',
  'emi_amount',
  'last_due_date',
  'payoff',
  'tranche',
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

const isEqual = (one: unknown, other: unknown): boolean => write(one) === write(other)
const write = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

type Effects = { changed: FigureKey[]; shown: FigureKey[]; folded: FigureKey[] }

/** Which figures change, which are shown, and which are folded away because they stay. */
export function listEffects(before: LoanFigures, after: LoanFigures): Effects {
  const known = figureKeys.filter((key) => before[key] !== null || after[key] !== null)
  const changed = known.filter((key) => !isEqual(before[key], after[key]))
  const shown = known.filter((key) => changed.includes(key) || mainKeys.includes(key))
  return { changed, shown, folded: known.filter((key) => !shown.includes(key)) }
}

export const recordKeys = ['review_state', 'resolution'] as const satisfies readonly (keyof ReviewRecord)[]
