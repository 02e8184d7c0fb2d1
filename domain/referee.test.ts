import { describe, expect, it } from 'vitest'
import { faultsOf } from './referee-check.testing.ts'

const cases = 300

describe.each([
  { loans: 'loans', firstSeed: 20_261_120, withResets: false },
  { loans: 'loans whose rate is often reset', firstSeed: 20_261_123, withResets: true },
])(`referee: ${cases} random $loans from seed $firstSeed`, ({ firstSeed, withResets }) => {
  it('agrees with the engine to the paisa, and finds every invariant held', () => {
    for (let seed = firstSeed; seed < firstSeed + cases; seed += 1)
      expect({ seed, faults: faultsOf(seed, withResets) }).toEqual({ seed, faults: [] })
  }, 120_000)
})

it('agrees on a rate that keeps the instalment on the day on which a repaid loan grows again', () => {
  for (const seed of [116_693, 530_770, 853_169]) expect({ seed, faults: faultsOf(seed, true) }).toEqual({ seed, faults: [] })
})

it('agrees on a rate that keeps the instalment in a month that has it computed again', () => {
  for (const seed of [149, 2_192, 2_702]) expect({ seed, faults: faultsOf(seed, true) }).toEqual({ seed, faults: [] })
})

it('agrees on a rate that keeps the instalment before a part of the next one is paid', () => {
  for (const seed of [2_617, 6_807, 12_148]) expect({ seed, faults: faultsOf(seed, true) }).toEqual({ seed, faults: [] })
})
