import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { isProcessAlive } from '#server/database/process-alive.ts'
import { until } from './start-app.ts'

const script = `
  import { readFileSync } from 'node:fs'
  import { spawn } from 'node:child_process'
  import { startTestCluster } from './test-database.ts'
  const { directory, stop } = await startTestCluster()
  process.env.TMPDIR = directory
  const sleeper = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  const postgres = Number(readFileSync(directory + '/postgres/data/postmaster.pid', 'utf8').split('\\n')[0])
  // Before the line that tells the test to go on.
  process.once('SIGTERM', async () => { sleeper.kill(); await stop(); process.exit(0) })
  console.log(JSON.stringify({ directory, postgres, sleeper: sleeper.pid }))
  setInterval(() => {}, 60_000)
`

type Run = { child: ChildProcess; directory: string; postgres: number; sleeper: number }

async function startRun(environment: Record<string, string> = {}): Promise<Run> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, ...(JSON.parse(line) as Omit<Run, 'child'>) }
}

describe('the directory of a test run', () => {
  it('is gone when the run was killed, and so is every program that was started with it', async () => {
    const { child, directory, postgres, sleeper } = await startRun()
    expect([postgres, sleeper].map(isProcessAlive)).toEqual([true, true])
    child.kill('SIGKILL')
    await until(() => !existsSync(directory) && ![postgres, sleeper].some(isProcessAlive))
  })

  it('is gone when the run ended by itself', async () => {
    const { child, directory, postgres } = await startRun()
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect({ directory: existsSync(directory), postgres: isProcessAlive(postgres) }).toEqual({ directory: false, postgres: false })
  })

  it('serves a PostgreSQL on a machine that allows no user namespaces', async () => {
    const programs = mkdtempSync(join(tmpdir(), 'no-namespaces-'))
    writeFileSync(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n')
    chmodSync(join(programs, 'unshare'), 0o755)
    const { child, postgres } = await startRun({ PATH: `${programs}${delimiter}${process.env['PATH']}` })
    expect(isProcessAlive(postgres)).toBe(true)
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(isProcessAlive(postgres)).toBe(false)
  })
})
