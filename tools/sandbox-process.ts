import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '#server/config/config.ts'
import { parseClockShift } from '#server/config/clock.ts'
import { isProcessAlive } from '#server/database/process-alive.ts'

const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000

/**
 * The payment sandbox. It is a separate process that keeps running when the portal stops, as the
 * real provider does.
 */
type SandboxProcess = { url: string; stop(): Promise<void> }

/**
 * Starts the sandbox, or uses the one that already runs on its port.
 *
 * @throws Error if another program or another directory's sandbox uses the port, or if the sandbox
 * does not start within a minute.
 */
export async function startSandboxProcess(config: Config): Promise<SandboxProcess> {
  const url = `http://127.0.0.1:${config.sandboxPort}`
  if ((await findRunningSandbox(url)) === null) startProcess(config)
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const running = await findRunningSandbox(url)
    if (running && running.dataDirectory !== sandboxDirectory(config))
      throw new Error(`Port ${config.sandboxPort} is held by the payment sandbox of ${running.dataDirectory}: set SANDBOX_PORT.`)
    if (running) return { url, stop: () => stop(running.pid) }
    if (Date.now() > deadline)
      throw new Error(`The payment sandbox did not start on port ${config.sandboxPort}: see ${logFile(config)}, or set SANDBOX_PORT.`)
    await delay(50)
  }
}

const sandboxDirectory = (config: Config) => join(config.dataDirectory, 'sandbox')
const logFile = (config: Config) => join(sandboxDirectory(config), 'sandbox.log')

function startProcess(config: Config): void {
  const directory = sandboxDirectory(config)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const log = openSync(logFile(config), 'a')
  const { keyId, keySecret, webhookSecrets } = config.razorpay
  const child = spawn(process.execPath, [join(import.meta.dirname, '../sandbox/main.ts')], {
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      PATH: process.env['PATH'],
      SANDBOX_PORT: String(config.sandboxPort),
      SANDBOX_DATA_DIR: directory,
      SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${config.port}/api/v1/webhooks/razorpay`,
      SANDBOX_MERCHANT_NAME: config.portal.brand.lender,
      SANDBOX_CLOCK_BASE_MS: String(parseClockShift(config.clock.shift) ?? 0),
      RAZORPAY_KEY_ID: keyId,
      RAZORPAY_KEY_SECRET: keySecret,
      RAZORPAY_WEBHOOK_SECRET: webhookSecrets[0],
    },
  })
  child.unref()
  closeSync(log)
}

/** Null if no sandbox answers at this URL. */
async function findRunningSandbox(url: string): Promise<{ pid: number; dataDirectory: string } | null> {
  try {
    const response = await fetch(`${url}/__sandbox/health`, { signal: AbortSignal.timeout(2_000) })
    const { service, pid, data_dir } = (await response.json()) as { service?: unknown; pid?: unknown; data_dir?: unknown }
    return service === 'kist-sandbox' && typeof pid === 'number' ? { pid, dataDirectory: String(data_dir) } : null
  } catch {
    return null
  }
}

async function stop(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  const deadline = Date.now() + stopTimeoutMs
  while (isProcessAlive(pid) && Date.now() < deadline) await delay(50)
}
