import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { isProcessAlive } from '#server/database/process-alive.ts'
import { freePort } from '#server/database/free-port.ts'
import { until } from '#testkit/start-app.ts'

/** The program of `npm start` as a process, stopped and killed in different ways. */

const directory = mkdtempSync(join(tmpdir(), 'kist-start-'))
let running: ChildProcess | null = null

async function start(ports: { PORT: string; SANDBOX_PORT: string }): Promise<{ child: ChildProcess; output: () => string }> {
  let output = ''
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], {
    env: { ...process.env, NODE_ENV: '', npm_lifecycle_event: '', KIST_DATA_DIR: directory, ...ports },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = child
  child.stdout?.on('data', (chunk) => (output += String(chunk)))
  child.stderr?.on('data', (chunk) => (output += String(chunk)))
  await until(() => {
    if (child.exitCode !== null) throw new Error(`It did not start:\n${output}`)
    return output.includes('Kist is ready at')
  }, 180_000)
  return { child, output: () => output }
}

const ended = (child: ChildProcess) => until(() => child.exitCode !== null || child.signalCode !== null)
const postmaster = () => Number(readFileSync(join(directory, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])

async function loans(port: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/portal/loans-summary`)
  return response.status
}

afterEach(async () => {
  if (running && running.exitCode === null && running.signalCode === null) {
    running.kill('SIGTERM')
    await ended(running)
  }
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('npm start', () => {
  it('ends with its ready line, carries on after kill -9 of the portal and of the database, and stops without a trace', async () => {
    const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) }
    const first = await start(ports)
    // The workers may send messages at any time.
    const ownLines = first
      .output()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('SMS to '))
    expect(ownLines.at(-1)).toBe(`Kist is ready at http://localhost:${ports.PORT}`)
    expect(await loans(ports.PORT)).toBe(401)
    const database = postmaster()

    first.child.kill('SIGKILL')
    await ended(first.child)
    const second = await start(ports)
    expect(postmaster(), 'the database that was left running is taken over').toBe(database)

    second.child.kill('SIGKILL')
    process.kill(database, 'SIGKILL')
    await ended(second.child)
    const third = await start(ports)
    expect(await loans(ports.PORT)).toBe(401)

    const last = postmaster()
    third.child.kill('SIGTERM')
    await ended(third.child)
    expect(third.child.exitCode).toBe(0)
    expect(isProcessAlive(last)).toBe(false)
    await expect(fetch(`http://127.0.0.1:${ports.SANDBOX_PORT}/__sandbox/health`)).rejects.toThrow()
  }, 400_000)
})
