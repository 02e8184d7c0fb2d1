import { faultsOf } from '#domain/referee-check.testing.ts'
import { result, type TortureSuite } from './suite.ts'

/**
 * Random loans with random events: every invariant holds, nothing throws, and the referee agrees to
 * the paisa.
 */
export const engine: TortureSuite = {
  name: 'engine',
  run: ({ seed, cases }) => {
    const findings: string[] = []
    for (let index = 0; index < cases; index++) {
      const finding = findingOn(seed + index)
      if (finding) findings.push(`seed ${seed + index}: ${finding}`)
      if ((index + 1) % 1_000 === 0) process.stderr.write(`engine: ${index + 1} of ${cases}\r`)
    }
    return result('engine', cases, { broken: findings.length }, findings)
  },
}

function findingOn(seed: number): string | null {
  try {
    const faults = faultsOf(seed)
    return faults.length > 0 ? faults.join('; ') : null
  } catch (error) {
    return String(error)
  }
}
