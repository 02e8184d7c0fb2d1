import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { files, read, root } from './repository.testing.ts'

/** The hosted workflows cannot run here: they are parsed, and what they name is looked for. */

const hosted = files.filter((file) => /^\.github\/.*\.ya?ml$/.test(file))
const workflows = hosted.filter((file) => file.startsWith('.github/workflows/'))
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

type Step = { uses?: string; run?: string }
type Job = { 'runs-on'?: string; 'timeout-minutes'?: number; strategy?: { matrix: Record<string, unknown> }; steps?: Step[] }
type Workflow = { on?: object; permissions?: object; jobs?: Record<string, Job> }

it.each(hosted)('%s is YAML without a fault or a repeated key', (file) => {
  const { errors, warnings } = parseDocument(read(file), { prettyErrors: true })
  expect([...errors, ...warnings].map(({ message }) => message)).toEqual([])
})

describe.each(workflows)('%s', (file) => {
  const text = read(file)
  const { on, permissions, jobs = {} } = parseDocument(text).toJS() as Workflow
  it('says when it runs, on what, for how long, and with which rights', () => {
    expect(on).toBeDefined()
    expect(permissions).toEqual({ contents: 'read' })
    expect(Object.keys(jobs).length).toBeGreaterThan(0)
    for (const job of Object.values(jobs)) {
      expect(job['runs-on']).toMatch(/^ubuntu-\d+\.\d+$/)
      expect(job['timeout-minutes']).toBeGreaterThan(0)
    }
  })
  it('has steps that run a command or use an action of a fixed version', () => {
    for (const { uses, run } of Object.values(jobs).flatMap(({ steps = [] }) => steps)) {
      expect([uses, run].filter((one) => one !== undefined)).toHaveLength(1)
      if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/)
    }
  })
  it('names npm scripts, torture suites and values of the matrix that exist', () => {
    const named = [...text.matchAll(/npm (?:run )?(test|check|bench|torture|mutation|lab|[a-z]+:[a-z]+)\b/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    const suites = [...text.matchAll(/npm run torture --((?: [a-z]+(?:-[a-z]+)*)*) --/g)].flatMap(([, list = '']) => list.trim().split(' '))
    const known = execFileSync('git', ['grep', '-hoE', "name: '[a-z-]+'", '--', 'lab/torture'], { cwd: root, encoding: 'utf8' })
    expect(suites.filter((name) => name !== '' && !known.includes(`'${name}'`))).toEqual([])
    for (const job of Object.values(jobs)) {
      const matrix = job.strategy?.matrix ?? {}
      const keys = Object.keys(Array.isArray(matrix['include']) ? Object.assign({}, ...matrix['include']) : matrix)
      const used = [...JSON.stringify(job).matchAll(/\$\{\{ matrix\.(\w+) \}\}/g)].map(([, name]) => name)
      expect(used.filter((name) => !keys.includes(name ?? ''))).toEqual([])
    }
  })
})
