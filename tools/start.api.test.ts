import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { isProcessAlive } from '#server/database/process-alive.ts'
import { freePort } from '#server/database/free-port.ts'
import { until } from '#testkit/start-app.ts'

/** The program of `npm start` as a process, stopped and killed in different ways. */

const directory = mkdtempSync(join(tmpdir(), 'kist-start-'))
let running: ChildProcess | null = null

type Ports = { PORT: string; SANDBOX_PORT: string }
const freePorts = async (): Promise<Ports> => ({ PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) })

/** Starts it, and waits until `isReached`. */
async function start(ports: Ports, isReached = (output: string) => output.includes('Kist is ready at')) {
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
    return isReached(output)
  }, 180_000)
  return { child, output: () => output }
}

const ended = (child: ChildProcess) => until(() => child.exitCode !== null || child.signalCode !== null)
const postmasterFile = join(directory, 'postgres/data/postmaster.pid')
const postmaster = () => Number(readFileSync(postmasterFile, 'utf8').split('\n')[0])
const expectNothingLeft = async (database: number, { SANDBOX_PORT }: Ports) => {
  expect(isProcessAlive(database)).toBe(false)
  await expect(fetch(`http://127.0.0.1:${SANDBOX_PORT}/__sandbox/health`)).rejects.toThrow()
}

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
    const ports = await freePorts()
    const first = await start(ports)
    // The workers may send messages, and log, at any time.
    const ownLines = first
      .output()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('SMS to ') && !line.startsWith('{'))
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
    await expectNothingLeft(last, ports)
  }, 400_000)

  it('that is interrupted before it is ready stops what it has started', async () => {
    const ports = await freePorts()
    const { child, output } = await start(ports, () => existsSync(postmasterFile) && postmaster() > 0)
    const database = postmaster()
    child.kill('SIGINT')
    await ended(child)
    expect(child.exitCode).toBe(0)
    expect(output()).toContain('Stopping …')
    expect(output()).not.toContain('Kist is ready at')
    await expectNothingLeft(database, ports)
  }, 400_000)
})
