import type { Logger } from 'pino'
import { ExaminerProcess, type Ending, type ExaminerLimits } from './examiner-process.ts'
import { ExaminerUnavailable, type Examination, type ExaminationRequest, type FileExaminer } from './file-examiner.ts'
import { createIdleExaminers } from './idle-examiners.ts'

/** The outcome of an examination, as the metrics count it. */
export type ExaminationOutcome = 'accepted' | 'refused' | 'timeout' | 'memory' | 'failed' | 'unavailable'

export type ExaminerPoolOptions = ExaminerLimits & {
  /** The directory of the files to examine. The processes may read nothing else but code. */
  stagingDirectory: string
  /** The maximum number of concurrent examinations; further files wait. */
  processesMax: number
  log: Logger
  onEnd(outcome: ExaminationOutcome, seconds: number): void
}

export const examinerLimits = { residentBytesMax: 512 * 1_048_576, processesMax: 2 }

type Waiting = {
  request: ExaminationRequest
  owner: string
  resolve(examination: Examination): void
  reject(error: unknown): void
}

/**
 * Examines files in child processes that start on demand and are killed when they exceed the time
 * or memory limit.
 */
export function createExaminerPool(options: ExaminerPoolOptions): FileExaminer {
  const queue: Waiting[] = []
  const idle = createIdleExaminers()
  const busy = new Set<ExaminerProcess>()
  const runningOwners: string[] = []
  const running = new Set<Promise<void>>()
  let isClosed = false

  const startWaiting = () => {
    while (!isClosed && runningOwners.length < options.processesMax && queue.length > 0) {
      const indexOfOtherOwner = queue.findIndex(({ owner }) => !runningOwners.includes(owner))
      const [waiting] = queue.splice(Math.max(0, indexOfOtherOwner), 1)
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
      startWaiting()
    }
  }

  const examine = async (request: ExaminationRequest): Promise<Examination> => {
    const startedAt = performance.now()
    const end = (outcome: ExaminationOutcome) => options.onEnd(outcome, (performance.now() - startedAt) / 1_000)
    let examiner: ExaminerProcess | null = null
    try {
      examiner = idle.acquire() ?? (await ExaminerProcess.start(options.stagingDirectory))
      busy.add(examiner)
      if (isClosed) throw new ExaminerUnavailable('the server is stopping')
      const ending = await examiner.examine(request, options)
      if (isClosed) throw new ExaminerUnavailable('the server is stopping')
      end(ending.kind === 'answered' ? ending.examination.kind : ending.kind)
      if (ending.kind !== 'answered') return refusal(ending, request)
      await idle.release(examiner, ending.residentBytes)
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
    options.log.warn({ ...ending, contentType }, 'file examination failed, file refused')
    return { kind: 'refused', reason: `examination_${ending.kind}` }
  }

  return {
    examine: (request, owner) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ExaminerUnavailable('the server is stopping'))
        queue.push({ request, owner, resolve, reject })
        startWaiting()
      }),
    close: async () => {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(new ExaminerUnavailable('the server is stopping'))
      await Promise.all([...busy, ...idle.acquireAll()].map((examiner) => examiner.kill()))
      await Promise.all(running)
    },
  }
}
