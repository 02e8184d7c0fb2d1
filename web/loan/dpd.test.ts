import { expect, it } from 'vitest'
import { getDpdTone } from './dpd.ts'

it.each([
  [0, 'positive'],
  [1, 'caution'],
  [30, 'caution'],
  [31, 'danger'],
  [365, 'danger'],
] as const)('%i days past due is %s', (dpd, tone) => {
  expect(getDpdTone(dpd)).toBe(tone)
})
