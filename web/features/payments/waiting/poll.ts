import type { WaitingTimes } from './waiting-state.ts'

type Polling<T> = {
  read: (signal: AbortSignal) => Promise<T>
  onAnswer: (answer: T) => void
  onTimeout: () => void
  times: Pick<WaitingTimes, 'initialDelayMs' | 'intervalMs' | 'overallTimeoutMs'>
}

/** A question without an answer for so long is dropped: one that hangs would leave no time for the next. */
const answerMsMax = 8_000

/**
 * Asks `read` again and again until it is stopped or the overall time is over; the returned function stops it.
 * One question at a time, the interval counted from the answer, so that a slow network is not asked twice.
 * A failed question is silent: the next one may succeed (spec §4).
 */
export function poll<T>({ read, onAnswer, onTimeout, times }: Polling<T>): () => void {
  const stopped = new AbortController()
  let question = new AbortController()
  let next: ReturnType<typeof setTimeout> | undefined

  async function ask(): Promise<void> {
    question = new AbortController()
    const dropping = setTimeout((open: AbortController) => open.abort(), answerMsMax, question)
    try {
      const answer = await read(question.signal)
      if (stopped.signal.aborted) return
      onAnswer(answer)
    } catch {
      // Silent by design.
    } finally {
      clearTimeout(dropping)
    }
    if (!stopped.signal.aborted) next = setTimeout(() => void ask(), times.intervalMs)
  }

  function stop(): void {
    stopped.abort()
    question.abort()
    clearTimeout(next)
    clearTimeout(overall)
  }

  next = setTimeout(() => void ask(), times.initialDelayMs)
  const overall = setTimeout(() => {
    stop()
    onTimeout()
  }, times.overallTimeoutMs)
  return stop
}
