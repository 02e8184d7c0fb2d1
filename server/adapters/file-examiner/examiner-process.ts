import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { answerCharactersMax, readAnswer } from './examination-message.ts'
import { ExaminerUnavailable, type Examination, type ExaminationRequest } from './file-examiner.ts'
import { readResidentBytes, residentMemoryIntervalMs } from './resident-memory.ts'

export type ExaminerLimits = {
  /** The time from the request to the answer. */
  timeoutMs: number
  residentBytesMax: number
}

/** How an examination ended. The process has ended in every case but `answered`. */
export type Ending =
  | { kind: 'answered'; examination: Examination; residentBytes: number }
  | { kind: 'timeout' | 'memory' }
  | { kind: 'failed'; exitCode: number | null; signal: string | null }

/**
 * The time limit for a process to become ready. It is long, because a file cannot cause a slow
 * start.
 */
const startTimeoutMs = 60_000

/** The CPU time limit of a process, in case the server has died and cannot kill it. */
const processorSecondsMax = 300

const root = resolve(import.meta.dirname, '../../..')

/** The process may read these paths and the files to examine. */
const readable = ['server/adapters/file-examiner/*', 'domain/*', 'node_modules/*', 'package.json']

/** One process that examines files, one at a time. */
export class ExaminerProcess {
  /** The number of files that the process was asked to examine. */
  files = 0
  private readonly child: ChildProcessByStdio<Writable, Readable, null>
  private readonly ended: Promise<{ exitCode: number | null; signal: string | null }>
  private received = ''
  private onLine: ((line: string) => void) | null = null

  private constructor(stagingDirectory: string) {
    const permissions = [...readable.map((path) => join(root, path)), join(resolve(stagingDirectory), '*')]
    const options = [
      '--permission',
      ...permissions.map((path) => `--allow-fs-read=${path}`),
      '--max-old-space-size=256',
      '--disable-proto=delete',
      '--disallow-code-generation-from-strings',
      join(import.meta.dirname, 'examine-process.ts'),
    ]
    this.child = spawn('/bin/sh', ['-c', `ulimit -t ${processorSecondsMax}; exec "$0" "$@"`, process.execPath, ...options], {
      cwd: root,
      // Empty, because the server's environment contains keys and passwords.
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.ended = new Promise((resolve) => {
      this.child.once('error', () => resolve({ exitCode: null, signal: null }))
      this.child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
    })
    // Ignores write errors: `ended` reports that the process died.
    this.child.stdin.on('error', () => {})
    this.child.stdout.setEncoding('latin1')
    this.child.stdout.on('data', (text: string) => this.receive(text))
  }

  /** @throws ExaminerUnavailable if the process does not become ready. */
  static async start(stagingDirectory: string): Promise<ExaminerProcess> {
    const started = new ExaminerProcess(stagingDirectory)
    const timer = new AbortController()
    const line = await Promise.race([
      new Promise<string>((resolve) => (started.onLine = resolve)),
      started.ended.then(() => 'ended'),
      delay(startTimeoutMs, 'late', timer.signal),
    ])
    timer.abort()
    if (line === 'ready') return started
    await started.kill()
    throw new ExaminerUnavailable(`the process that examines files did not start: ${line.slice(0, 100)}`)
  }

  /** @throws ExaminerUnavailable if the memory of the process cannot be read. */
  async examine(request: ExaminationRequest, limits: ExaminerLimits): Promise<Ending> {
    this.files += 1
    const stop = new AbortController()
    const answered = new Promise<string>((resolve) => (this.onLine = resolve))
    this.child.stdin.write(`${JSON.stringify(request)}\n`)
    try {
      const first = await Promise.race([
        answered.then((line) => ({ kind: 'line' as const, line })),
        this.ended.then((end) => ({ kind: 'failed' as const, ...end })),
        // After a pause of the server the timer is first, although the answer may have arrived.
        delay(limits.timeoutMs, { kind: 'timeout' as const }, stop.signal).then(afterNextRead),
        this.watchMemory(limits.residentBytesMax, stop.signal),
      ])
      const examination = first.kind === 'line' ? readAnswer(first.line) : null
      if (examination) return { kind: 'answered', examination, residentBytes: (await this.residentBytes()) ?? 0 }
      await this.kill()
      return first.kind === 'line' ? { kind: 'failed', exitCode: null, signal: null } : first
    } finally {
      stop.abort()
      this.onLine = null
    }
  }

  async kill(): Promise<void> {
    this.keepServerAlive(true)
    this.child.kill('SIGKILL')
    await this.ended
  }

  /** Sets whether this process keeps the server from exiting. */
  keepServerAlive(isKept: boolean): void {
    const handles = [this.child, this.child.stdin, this.child.stdout] as unknown as { ref(): void; unref(): void }[]
    for (const handle of handles) {
      if (isKept) handle.ref()
      else handle.unref()
    }
  }

  private receive(text: string): void {
    this.received += text
    if (this.received.length > answerCharactersMax) this.child.kill('SIGKILL')
    const end = this.received.indexOf('\n')
    if (end === -1) return
    const line = this.received.slice(0, end)
    this.received = this.received.slice(end + 1)
    this.onLine?.(line)
  }

  private async residentBytes(): Promise<number | null> {
    return this.child.pid === undefined ? null : await readResidentBytes(this.child.pid)
  }

  /** Resolves when the process exceeds its memory limit; `ended` reports its end. */
  private async watchMemory(bytesMax: number, signal: AbortSignal): Promise<{ kind: 'memory' }> {
    while (!signal.aborted) {
      await delay(residentMemoryIntervalMs, null, signal)
      const bytes = await this.residentBytes().catch((error: unknown) => {
        throw new ExaminerUnavailable(`the memory of the process that examines files cannot be read: ${(error as Error).message}`)
      })
      if (bytes !== null && bytes > bytesMax) return { kind: 'memory' }
    }
    return never
  }
}

const never = new Promise<never>(() => {})

/** Passes a value on after the event loop has read what has arrived. */
const afterNextRead = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value))

/** Resolves after a time; never if aborted before. */
function delay<T>(ms: number, value: T, stop: AbortSignal): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(value), ms)
    stop.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}
