import { expect, it } from 'vitest'
import { specialMentionClass } from './days-past-due.testing.ts'

it.each([
  [-1, null],
  [0, null],
  [1, 'SMA-0'],
  [30, 'SMA-0'],
  [31, 'SMA-1'],
  [60, 'SMA-1'],
  [61, 'SMA-2'],
  [90, 'SMA-2'],
  [91, 'NPA'],
  [10_000, 'NPA'],
] as const)('RBI/2021-2022/125: %s days past due at a day’s end are %s', (dpd, expected) => {
  expect(specialMentionClass(dpd)).toBe(expected)
})
