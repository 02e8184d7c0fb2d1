import type { App } from './start-app.ts'
import { until } from './until.ts'

/** Waits for the newest code to a phone. Ignores the first `before` messages of the outbox. */
export const codeFor = (app: Pick<App, 'outbox'>, phone: string, before: number): Promise<string> =>
  until(
    () =>
      app
        .outbox()
        .slice(before)
        // Receipts go to the same phone and have no code.
        .findLast(({ to, code }) => to === phone && code !== null)?.code,
  )
