import { expect, it } from 'vitest'
import { paise } from '#domain/money.ts'
import { listEffects } from './effects.ts'
import { figuresSample } from './samples.testkit.ts'

it('shows what changes and what a checker looks for, and folds the rest', () => {
  const after = { ...figuresSample, dues: paise(30_000n), credit_amount: paise(1n) }
  const { changed, shown, folded } = listEffects(figuresSample, after)
  expect(changed).toEqual(['dues', 'credit_amount'])
  expect(shown).toEqual(['loan_status', 'dues', 'dpd', 'emi_amount', 'last_due_date', 'payoff', 'credit_amount'])
  expect(folded).not.toContain('tranche')
  expect([...shown, ...folded].length).toBe(14)
})

it('compares records by their content', () => {
  expect(listEffects(figuresSample, structuredClone(figuresSample)).changed).toEqual([])
  const row = figuresSample.next_row
  const paid = { ...figuresSample, next_row: row && { ...row, pending_amount: paise(1n) } }
  expect(listEffects(figuresSample, paid).changed).toEqual(['next_row'])
})
