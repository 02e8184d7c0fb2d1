import type { ExplanationStep } from '#contract/explanations.ts'

/**
 * The rate with which the formula gives the explained EMI: of one month, or of 30 days of 365. Null
 * if the EMI was not computed: it is fixed or given, bears no interest, or is of interest only.
 */
export function formulaOf(steps: readonly ExplanationStep[]): 'month' | 'days' | null {
  const step = steps.find(({ step: name }) => name === 'instalment')
  if (step === undefined || step.is_fixed || step.is_given || step.interest_rate === 0) return null
  return step.basis === 'days_of_year' ? 'days' : 'month'
}
