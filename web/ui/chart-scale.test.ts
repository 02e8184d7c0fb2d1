import { expect, test } from 'vitest'
import { computeChartScale } from './chart-scale.ts'

test.each([
  [0n, 0n, 0n],
  [1n, 1n, 1n],
  [40n, 10n, 40n],
  [41n, 20n, 60n],
  [100_000_00n, 50_000_00n, 100_000_00n],
  [14_50_000_00n, 5_00_000_00n, 15_00_000_00n],
  [7_77_700_00n, 2_00_000_00n, 8_00_000_00n],
])('up to %s goes in steps of %s to %s', (highest, step, top) => {
  expect(computeChartScale(highest)).toEqual({ step, top })
})

test.each(Array.from({ length: 60 }, (_, power) => 3n ** BigInt(power)))(
  'up to %s has one to five lines, the last not below',
  (highest) => {
    const { step, top } = computeChartScale(highest)
    expect(top >= highest && top / step <= 5n && top % step === 0n).toBe(true)
  },
)
