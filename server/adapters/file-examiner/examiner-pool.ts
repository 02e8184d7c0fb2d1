import type { Logger } from 'pino'
import { ExaminerProcess, type Ending, type ExaminerLimits } from './examiner-process.ts'
import { ExaminerUnavailable, type Examination, type ExaminationRequest, type FileExaminer } from './file-examiner.ts'

/** How an examination ended, as it is counted. */
export type ExaminationOutcome = 'accepted' | 'refused' | 'timeout' | 'memory' | 'failed' | 'unavailable'

export type ExaminerPoolOptions = ExaminerLimits & {
  /** The files to examine are here, and nothing else that is not code may be read. */
  stagingDirectory: string
  /** So many files are examined at once. The others wait in line. */
  processesMax: number
  log: Logger
  onEnd(outcome: ExaminationOutcome, seconds: number): void
}

export const examinerLimits = { timeoutMs: 5_000, residentBytesMax: 512 * 1_048_576, processesMax: 2 }

/** A process is replaced after so many files, or when it has kept more memory than this after one. */
const filesPerProcessMax = 25
const keptBytesMax = 200 * 1_048_576
/** A process that waits for a file so long is ended. */
const idleMs = 60_000

type Waiting = {
  request: ExaminationRequest
  owner: string
  resolve(examination: Examination): void
  reject(error: unknown): void
}

/** Examines files in processes of their own, each killed when it takes too long or too much memory. Started when needed. */
export function createExaminerPool(options: ExaminerPoolOptions): FileExaminer {
  const queue: Waiting[] = []
  const idle: { examiner: ExaminerProcess; timer: NodeJS.Timeout }[] = []
  const busy = new Set<ExaminerProcess>()
  const runningOwners: string[] = []
  const running = new Set<Promise<void>>()
  let isClosed = false

  const next = () => {
    while (!isClosed && runningOwners.length < options.processesMax && queue.length > 0) {
      const fair = queue.findIndex(({ owner }) => !runningOwners.includes(owner))
      const [waiting] = queue.splice(Math.max(0, fair), 1)
      if (!waiting) continue
      const run = runOne(waiting).finally(() => running.delete(run))
      running.add(run)
    }
  }

  const runOne = async ({ request, owner, resolve, reject }: Waiting) => {
    runningOwners.push(owner)
    try {
      resolve(await examine(request))
    } catch (error) {
      reject(error)
    } finally {
      runningOwners.splice(runningOwners.indexOf(owner), 1)
      next()
    }
  }

  const examine = async (request: ExaminationRequest): Promise<Examination> => {
    const startedAt = performance.now()
    const end = (outcome: ExaminationOutcome) => options.onEnd(outcome, (performance.now() - startedAt) / 1_000)
    let examiner: ExaminerProcess | null = null
    try {
      examiner = takeIdle() ?? (await ExaminerProcess.start(options.stagingDirectory))
      busy.add(examiner)
      if (isClosed) throw new ExaminerUnavailable('the server stops')
      const ending = await examiner.examine(request, options)
      if (isClosed) throw new ExaminerUnavailable('the server stops')
      end(ending.kind === 'answered' ? ending.examination.kind : ending.kind)
      if (ending.kind !== 'answered') return refusal(ending, request)
      await release(examiner, ending.residentBytes)
      return ending.examination
    } catch (error) {
      end('unavailable')
      await examiner?.kill()
      throw error
    } finally {
      if (examiner) busy.delete(examiner)
    }
  }

  const refusal = (ending: Exclude<Ending, { kind: 'answered' }>, { contentType }: ExaminationRequest): Examination => {
    options.log.warn({ ...ending, contentType }, 'the examination of a file was ended, and the file refused')
    return { kind: 'refused', reason: `examination_${ending.kind}` }
  }

  const takeIdle = (): ExaminerProcess | null => {
    const taken = idle.pop()
    if (!taken) return null
    clearTimeout(taken.timer)
    taken.examiner.hold(true)
    return taken.examiner
  }

  const release = async (examiner: ExaminerProcess, residentBytes: number) => {
    if (isClosed || examiner.files >= filesPerProcessMax || residentBytes > keptBytesMax) return examiner.kill()
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((one) => one.examiner === examiner),
        1,
      )
      void examiner.kill()
    }, idleMs)
    timer.unref()
    examiner.hold(false)
    idle.push({ examiner, timer })
  }

  return {
    examine: (request, owner) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ExaminerUnavailable('the server stops'))
        queue.push({ request, owner, resolve, reject })
        next()
      }),
    close: async () => {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(new ExaminerUnavailable('the server stops'))
      const examiners = [...busy, ...idle.map(({ examiner }) => examiner)]
      for (const { timer } of idle.splice(0)) clearTimeout(timer)
      await Promise.all(examiners.map((examiner) => examiner.kill()))
      await Promise.all(running)
    },
  }
}
