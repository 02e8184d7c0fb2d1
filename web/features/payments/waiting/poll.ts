import type { WaitingTimes } from './waiting-state.ts'

type Polling<T> = {
  read: (signal: AbortSignal) => Promise<T>
  onAnswer: (answer: T) => void
  onTimeout: () => void
  times: Pick<WaitingTimes, 'initialDelayMs' | 'intervalMs' | 'overallTimeoutMs'>
}

/** Aborts a request after this time: a hanging one would leave no time for the next. */
const answerMsMax = 8_000

/**
 * Calls `read` repeatedly until it is stopped or the overall timeout; the returned function stops
 * it. One request at a time, with the interval counted from the response, so that a slow network
 * gets no parallel requests. A failed request is ignored: the next one may succeed (spec §4).
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
      // Ignored on purpose.
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
