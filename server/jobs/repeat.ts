import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'

export type Repetition = { stop(): Promise<void> }

type RepeatOptions = {
  log: Logger
  onFailure: () => void
}

/**
 * Runs `work` every `intervalMs`, and again at once while it finds something to do. A failure is
 * logged, and the next run comes as usual. `stop` waits for the current run.
 */
export function repeat(name: string, intervalMs: number, { log, onFailure }: RepeatOptions, work: () => Promise<number>): Repetition {
  const stopped = new AbortController()
  const pause = () => delay(intervalMs, undefined, { signal: stopped.signal }).catch(() => {})
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const found = await work().catch((error: unknown) => {
        log.error({ err: error, loop: name }, 'background work failed')
        onFailure()
        return 0
      })
      if (found === 0) await pause()
    }
  })()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
