import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { faultsOf } from '#domain/referee-check.testing.ts'
import { result, type TortureResult, type TortureSuite } from './suite.ts'

/**
 * Random loans with random events: every invariant holds, nothing throws, and the referee agrees to
 * the paisa.
 */
export const engine: TortureSuite = {
  name: 'engine',
  run: ({ seed, cases, resets }) => {
    if (resets) return runResets(seed, cases)
    const findings: string[] = []
    for (let index = 0; index < cases; index++) {
      const finding = findingOn(seed + index, false)
      if (finding) findings.push(finding)
      if ((index + 1) % 1_000 === 0) process.stderr.write(`engine: ${index + 1} of ${cases}\r`)
    }
    return result('engine', cases, { broken: findings.length }, findings)
  },
}

/** The sentence for a seed's loan if engine and referee differ. */
function findingOn(seed: number, resets: boolean): string | null {
  try {
    const faults = faultsOf(seed, resets)
    return faults.length > 0 ? `seed ${seed}: ${faults.join('; ')}` : null
  } catch (error) {
    return `seed ${seed}: ${String(error)}`
  }
}

type Progress = { done: number; findings: string[] }

/**
 * Loans whose rate is often reset. The progress is stored every 1,000 cases, so that a run that was
 * stopped continues with the same seed.
 */
function runResets(seed: number, cases: number): TortureResult {
  const file = progressFile(seed)
  const progress = readProgress(file)
  process.stderr.write(`engine --resets: seed ${seed}, from case ${progress.done + 1} of ${cases}\n`)
  for (; progress.done < cases; progress.done += 1) {
    if (progress.done % 1_000 === 0 && progress.done > 0) {
      // In one step: a run that is killed while it writes leaves the progress of before.
      writeFileSync(`${file}.new`, JSON.stringify(progress))
      renameSync(`${file}.new`, file)
      process.stderr.write(`engine --resets: ${progress.done} of ${cases}\r`)
    }
    const finding = findingOn(seed + progress.done, true)
    if (finding) progress.findings.push(finding)
  }
  rmSync(file, { force: true })
  const { findings } = progress
  return {
    line: `engine --resets: seed ${seed}, cases ${cases}, ${findings.length} differ`,
    failed: findings.length > 0,
    detail: findings,
  }
}

/** The progress belongs to one seed and one version of the sources in `domain`. */
function progressFile(seed: number): string {
  const domain = resolve(import.meta.dirname, '../../domain')
  const hash = createHash('sha256')
  for (const name of readdirSync(domain).toSorted()) if (name.endsWith('.ts')) hash.update(readFileSync(join(domain, name)))
  const folder = resolve(domain, '../node_modules/.cache/torture')
  mkdirSync(folder, { recursive: true })
  return join(folder, `resets-${seed}-${hash.digest('hex').slice(0, 16)}.json`)
}

const readProgress = (file: string): Progress =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Progress) : { done: 0, findings: [] }
