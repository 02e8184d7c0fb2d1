import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { bareEnvironment, movedClock } from '#testkit/child-environment.ts'

const startDeadlineMs = 180_000

/** A listening process that can be killed and started again. */
export type ServerProcess = {
  readonly url: string
  /** Resolves when it answers. `environment` is added for this start only. */
  start(environment?: Record<string, string>): Promise<void>
  /** SIGKILL by default. Resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** For SIGSTOP and SIGCONT. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Resolves when the process has ended for any reason. */
  ended(): Promise<void>
  isRunning(): boolean
  /** Its process id while it runs; otherwise 0. */
  pid(): number
}

type ServerProcessOptions = {
  /** Arguments of Node: options and program. */
  args: readonly string[]
  url: string
  /** Answers 200 once it is ready. */
  readyPath: string
  environment: Record<string, string>
  logFile: string
}

export function serverProcess({ args, url, readyPath, environment, logFile }: ServerProcessOptions): ServerProcess {
  let child: ChildProcess | null = null
  let gone: Promise<void> = Promise.resolve()
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null

  const answers = () =>
    fetch(url + readyPath, { signal: AbortSignal.timeout(20_000) }).then(
      ({ ok }) => ok,
      () => false,
    )

  return {
    url,
    isRunning,
    pid: () => (isRunning() ? (child?.pid ?? 0) : 0),
    ended: () => gone,
    async start(more = {}) {
      const log = openSync(logFile, 'a')
      const started = spawn(process.execPath, [...args], {
        stdio: ['ignore', log, log],
        env: { ...bareEnvironment, ...movedClock, ...environment, ...more },
      })
      closeSync(log)
      child = started
      gone = new Promise((resolve) => started.once('exit', () => resolve()))
      const deadline = Date.now() + startDeadlineMs
      while (!(await answers())) {
        if (!isRunning() || Date.now() > deadline) throw new Error(`${args.at(-1)} did not start: see ${logFile}`)
        await delay(20)
      }
    },
    async kill(signal = 'SIGKILL') {
      if (isRunning()) child?.kill(signal)
      await gone
    },
    signal: (signal) => void child?.kill(signal),
  }
}
