import { expect, it } from 'vitest'
import { paise } from '#domain/money.ts'
import { endOfDayInIndiaMs } from '#domain/calendar.ts'
import { isUnannouncedReset, listCurrentWarnings, listEffects } from './effects.ts'
import { figuresSample } from './samples.testkit.ts'

it('shows what changes and what a checker looks for, and folds the rest', () => {
  const after = { ...figuresSample, dues: paise(30_000n), credit_amount: paise(1n) }
  const { changed, shown, folded } = listEffects(figuresSample, after)
  expect(changed).toEqual(['dues', 'credit_amount'])
  expect(shown).toEqual(['loan_status', 'dues', 'dpd', 'emi_amount', 'last_due_date', 'payoff', 'credit_amount'])
  expect(folded).not.toContain('tranche')
  expect([...shown, ...folded].length).toBe(14)
})

it('leaves out the warning of a midnight that has passed', () => {
  const midnightMs = endOfDayInIndiaMs(figuresSample.as_of)
  const warnings = [{ code: 'day_ends' as const }, { code: 'charges_not_listed' as const }]
  const currentAt = (ms: number) => listCurrentWarnings({ warnings, after: figuresSample }, ms).map(({ code }) => code)
  expect(currentAt(midnightMs - 1_000)).toEqual(['day_ends', 'charges_not_listed'])
  expect(currentAt(midnightMs + 1)).toEqual(['charges_not_listed'])
})

it('knows a new rate that nobody has been told of', () => {
  const reset = (state: 'computed' | 'notified') => ({
    ...figuresSample,
    rate_reset: { state, from: 11, to: 12, effective_on: figuresSample.as_of },
  })
  expect([figuresSample, reset('notified'), reset('computed')].map(isUnannouncedReset)).toEqual([false, false, true])
})

it('compares records by their content', () => {
  expect(listEffects(figuresSample, structuredClone(figuresSample)).changed).toEqual([])
  const row = figuresSample.next_row
  const paid = { ...figuresSample, next_row: row && { ...row, pending_amount: paise(1n) } }
  expect(listEffects(figuresSample, paid).changed).toEqual(['next_row'])
})
