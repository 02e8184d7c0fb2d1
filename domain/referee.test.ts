import { describe, expect, it } from 'vitest'
import { faultsOf } from './referee-check.testing.ts'

const firstSeed = 20_261_120
const cases = 300
const seeds = Array.from({ length: cases }, (_, index) => firstSeed + index)

describe(`referee: ${cases} random loans from seed ${firstSeed}`, () => {
  it('agrees with the engine to the paisa, and finds every invariant held', () => {
    for (const seed of seeds) expect({ seed, faults: faultsOf(seed) }).toEqual({ seed, faults: [] })
  }, 120_000)
})
