import { expect, test } from 'vitest'
import type { ExplanationStep } from '#contract/explanations.ts'
import { paise } from '#domain/money.ts'
import { formulaOf } from './emi-formula.ts'

const instalment = (more: Partial<ExplanationStep>): ExplanationStep[] => [
  { step: 'instalment', adds: false, amount: paise(1_066_200n), interest_rate: 12, instalments: 12, basis: 'whole_month', ...more },
]

test('the formula of an EMI is shown only where it gives the EMI', () => {
  expect(formulaOf(instalment({}))).toBe('month')
  expect(formulaOf(instalment({ basis: 'days_of_year' }))).toBe('days')
  for (const other of [{ is_fixed: true }, { is_given: true }, { interest_rate: 0 }]) expect(formulaOf(instalment(other))).toBeNull()
  // An instalment of interest only is explained by its row.
  expect(formulaOf([{ step: 'principal', adds: true, why: 'interest_only' }])).toBeNull()
})
