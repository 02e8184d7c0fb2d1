import type { ExaminerProcess } from './examiner-process.ts'

/**
 * A process is replaced after this many files, or when it keeps more memory than this after one.
 */
const filesPerProcessMax = 25
const retainedBytesMax = 200 * 1_048_576
/** An idle process is ended after this time. */
const idleMs = 60_000

/** The processes that have examined a file and wait for the next one. */
export function createIdleExaminers() {
  const timers = new Map<ExaminerProcess, NodeJS.Timeout>()

  const take = (examiner: ExaminerProcess): ExaminerProcess => {
    clearTimeout(timers.get(examiner))
    timers.delete(examiner)
    return examiner
  }

  return {
    /** Takes the process that was released last; null if none is idle. */
    acquire: (): ExaminerProcess | null => {
      const examiner = [...timers.keys()].at(-1)
      if (!examiner) return null
      examiner.keepServerAlive(true)
      return take(examiner)
    },
    /** Takes every process, to end it. */
    acquireAll: (): ExaminerProcess[] => [...timers.keys()].map(take),
    /** Keeps a process for the next file, or ends it if it has become too old or too large. */
    release: async (examiner: ExaminerProcess, residentBytes: number): Promise<void> => {
      if (examiner.files >= filesPerProcessMax || residentBytes > retainedBytesMax) return examiner.kill()
      const timer = setTimeout(() => void take(examiner).kill(), idleMs)
      timer.unref()
      examiner.keepServerAlive(false)
      timers.set(examiner, timer)
    },
  }
}
