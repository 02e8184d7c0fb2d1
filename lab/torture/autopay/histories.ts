import { createHash } from 'node:crypto'
import { fork, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { startTestCluster, type TestCluster } from '#testkit/test-database.ts'
import type { GroupResult } from './group.ts'
import type { Finding } from './judge.ts'
import type { GroupOrder } from './run-group.ts'

/** A case is what happens around one due date of one loan. */
type HistoryOptions = {
  seed: number
  cases: number
  /** Options of Node for the processes, for a planted defect. */
  nodeOptions?: readonly string[]
  /** Continues a run that was stopped, and stores how far this one is. */
  isResumable?: boolean
  /** The PostgreSQL; one of its own by default. */
  cluster?: TestCluster
}

/** Few cases have one due date each, so that they take seconds. */
const dueDatesOf = (cases: number): number => (cases < 500 ? 1 : 5)
const loansOfGroup = 100

type Progress = { done: number[]; cases: number; debits: number; findings: Finding[] }

/** Random histories in groups, each on its own database, in parallel on all cores. */
export async function runHistories(options: HistoryOptions): Promise<Progress> {
  const { seed, cases, nodeOptions = [], isResumable = false, cluster: given } = options
  const dueDates = dueDatesOf(cases)
  const file = progressFile(seed, cases)
  const progress: Progress =
    isResumable && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Progress) : { done: [], cases: 0, debits: 0, findings: [] }
  const groups = planGroups(cases, dueDates).filter(({ index }) => !progress.done.includes(index))
  const started = given === undefined ? await startTestCluster() : null
  const cluster = given ?? started
  if (!cluster) throw new Error('There is no PostgreSQL')
  const { superuserUrl, ownerUrl, appUrl, directory } = cluster
  const startedMs = Date.now()
  const doneBefore = progress.cases
  const runNext = async (child: ChildProcess): Promise<void> => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const { index, loans } = group
      const result = await ask(child, {
        cluster: { superuserUrl, ownerUrl, appUrl, directory } satisfies TestCluster,
        seed: seed * 100_000 + index,
        loans,
        dueDates,
      })
      progress.done.push(index)
      progress.cases += result.cases
      progress.debits += result.debits
      progress.findings.push(...result.findings.map(({ kind, text }) => ({ kind, text: `group ${index}: ${text}` })))
      if (isResumable) writeFileSync(file, JSON.stringify(progress))
      const seconds = (Date.now() - startedMs) / 1_000
      const speed = Math.round((progress.cases - doneBefore) / seconds)
      process.stderr.write(`autopay: ${progress.cases} of ${cases} cases, ${speed} a second, ${progress.findings.length} findings\n`)
    }
  }
  const children = Array.from({ length: Math.min(availableParallelism(), groups.length) }, () =>
    fork(join(import.meta.dirname, 'run-group.ts'), { execArgv: [...nodeOptions] }),
  )
  try {
    await Promise.all(children.map(runNext))
  } finally {
    for (const child of children) if (child.connected) child.disconnect()
    await started?.stop()
  }
  rmSync(file, { force: true })
  return progress
}

function planGroups(cases: number, dueDates: number): { index: number; loans: number }[] {
  const casesOfGroup = loansOfGroup * dueDates
  return Array.from({ length: Math.ceil(cases / casesOfGroup) }, (_, index) => {
    const left = cases - index * casesOfGroup
    return { index, loans: Math.min(loansOfGroup, Math.ceil(left / dueDates)) }
  })
}

/** @throws Error if the process ends before it answers. */
function ask(child: ChildProcess, order: GroupOrder): Promise<GroupResult> {
  return new Promise((done, fail) => {
    const ended = (code: number | null) => fail(new Error(`A process of histories ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      done(answer as GroupResult)
    })
    child.send(order)
  })
}

/** The progress belongs to one seed and one version of the sources that the histories run. */
function progressFile(seed: number, cases: number): string {
  const root = resolve(import.meta.dirname, '../../..')
  const hash = createHash('sha256')
  for (const folder of ['domain', 'server/autopay', 'server/ledger', 'lab/torture/autopay'])
    for (const name of readdirSync(join(root, folder)).toSorted())
      if (name.endsWith('.ts')) hash.update(readFileSync(join(root, folder, name)))
  const folder = join(root, 'node_modules/.cache/torture')
  mkdirSync(folder, { recursive: true })
  return join(folder, `autopay-${seed}-${cases}-${hash.digest('hex').slice(0, 16)}.json`)
}
