import type { PortalConfig } from '#contract/portal-config.ts'

type Polling<T> = {
  read: (signal: AbortSignal) => Promise<T>
  onAnswer: (answer: T) => void
  onTimeout: () => void
  /** The portal configures 90 s overall (decision 42). */
  times: Partial<PortalConfig['polling']>
}

/** Aborts a request after this time: a hanging one would leave no time for the next. */
const answerMsMax = 8_000

/**
 * Calls `read` repeatedly until it is stopped or the overall timeout; the returned function stops
 * it. One request at a time, with the interval counted from the response, so that a slow network
 * gets no parallel requests. A failed request is ignored: the next one may succeed (spec §4).
 *
 * The overall timeout asks for one last answer: phones freeze the page while the bank's app is in
 * front, so that it comes late, and nothing was asked since the payment. Their connection returns
 * after the page: a request that fails at once is repeated.
 */
export function poll<T>({ read, onAnswer, onTimeout, times }: Polling<T>): () => void {
  // The defaults of spec §9.
  const { initial_delay_ms: initialDelayMs = 5000, interval_ms: intervalMs = 3000, overall_timeout_ms: overallTimeoutMs = 30_000 } = times
  const stopped = new AbortController()
  let question = new AbortController()
  let isLast = false
  let next: ReturnType<typeof setTimeout> | undefined

  /** @returns whether there was an answer. */
  async function ask(): Promise<boolean> {
    const own = new AbortController()
    question = own
    const dropping = setTimeout(() => own.abort(), answerMsMax)
    try {
      const answer = await read(own.signal)
      if (own === question && !stopped.signal.aborted) onAnswer(answer)
      return true
    } catch {
      // Ignored on purpose.
      return false
    } finally {
      clearTimeout(dropping)
    }
  }

  async function askAtInterval(): Promise<void> {
    await ask()
    if (!isLast && !stopped.signal.aborted) next = setTimeout(() => void askAtInterval(), intervalMs)
  }

  async function askForLast(): Promise<void> {
    if (await ask()) giveUp()
    else if (!stopped.signal.aborted) next = setTimeout(() => void askForLast(), intervalMs)
  }

  function stop(): void {
    stopped.abort()
    question.abort()
    clearTimeout(next)
    clearTimeout(overall)
  }

  function giveUp(): void {
    if (stopped.signal.aborted) return
    stop()
    onTimeout()
  }

  next = setTimeout(() => void askAtInterval(), initialDelayMs)
  let overall = setTimeout(() => {
    isLast = true
    // A request of before the freeze may hang.
    question.abort()
    clearTimeout(next)
    overall = setTimeout(giveUp, answerMsMax)
    void askForLast()
  }, overallTimeoutMs)
  return stop
}
