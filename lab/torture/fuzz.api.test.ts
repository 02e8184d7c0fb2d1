import { expect, it } from 'vitest'
import { fuzz } from './fuzz.ts'

/**
 * Some cases of `npm run torture -- fuzz`; durations are not tested, because they depend on the
 * machine.
 */
it('P01: what a call does not ask for is answered as the contract says, and nothing by 5xx', { timeout: 600_000 }, async () => {
  const { line, detail } = await fuzz.run({ seed: 1, rounds: 1, cases: 6, short: true })
  const findings = detail.filter((finding) => !finding.includes(': slow: '))
  expect(findings).toEqual([])
  expect(line).toMatch(/^fuzz: cases \d{3,}, 5xx 0, slow \d+, off-contract 0, leaks 0$/)
})
