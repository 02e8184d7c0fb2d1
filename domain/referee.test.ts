import { describe, expect, it } from 'vitest'
import { brokenInvariantsOf, disagreementOn, disagreementOnDaysPastDue } from './referee-check.testing.ts'

const firstSeed = 20_261_120
const cases = 300
const seeds = Array.from({ length: cases }, (_, index) => firstSeed + index)

describe(`referee: ${cases} random loans from seed ${firstSeed}`, () => {
  it('agrees with the engine to the paisa', () => {
    for (const seed of seeds) expect({ seed, disagreement: disagreementOn(seed) }).toEqual({ seed, disagreement: null })
  }, 120_000)
  it('agrees on days past due during a day', () => {
    for (const seed of seeds) expect({ seed, disagreement: disagreementOnDaysPastDue(seed) }).toEqual({ seed, disagreement: null })
  }, 120_000)
  it('finds every invariant held', () => {
    for (const seed of seeds) expect({ seed, broken: brokenInvariantsOf(seed) }).toEqual({ seed, broken: [] })
  }, 120_000)
})
