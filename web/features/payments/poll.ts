import type { WaitingTimes } from './waiting-state.ts'

type Polling<T> = {
  read: (signal: AbortSignal) => Promise<T>
  onAnswer: (answer: T) => void
  onTimeout: () => void
  times: Pick<WaitingTimes, 'initialDelayMs' | 'intervalMs' | 'overallTimeoutMs'>
}

/**
 * Asks `read` again and again until it is stopped or the overall time is over; the returned function stops it.
 * One question at a time, the interval counted from the answer, so that a slow network is not asked twice.
 * A failed question is silent: the next one may succeed (spec §4).
 */
export function poll<T>({ read, onAnswer, onTimeout, times }: Polling<T>): () => void {
  const aborting = new AbortController()
  let next: ReturnType<typeof setTimeout> | undefined

  async function ask(): Promise<void> {
    try {
      const answer = await read(aborting.signal)
      if (aborting.signal.aborted) return
      onAnswer(answer)
    } catch {
      // Silent by design.
    }
    if (!aborting.signal.aborted) next = setTimeout(() => void ask(), times.intervalMs)
  }

  function stop(): void {
    aborting.abort()
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
