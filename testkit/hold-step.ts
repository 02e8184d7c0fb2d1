import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FailPointName } from '#server/config/fail-points.ts'
import { until, type App } from './start-app.ts'

/**
 * Makes the app wait the next time it reaches a fail-point. The app must be started with
 * `KIST_FAIL: 'none'`.
 *
 * @returns `reached` resolves when the app waits there; `release` lets it continue.
 */
export function holdStep(app: App, name: FailPointName): { reached: () => Promise<void>; release: () => void } {
  const reached = orderStep(app, name, 'hold')
  return {
    reached: async () => void (await until(() => existsSync(reached))),
    release: () => rmSync(reached),
  }
}

/** Makes the work fail the next time it reaches a fail-point, as if its process had died there. */
export const failStep = (app: App, name: FailPointName): void => void orderStep(app, name, 'throw')

/** @returns the file that exists once the step is reached. */
function orderStep(app: App, name: FailPointName, action: 'hold' | 'throw'): string {
  const { directory } = app.context.config.failPoints
  // Of an earlier step that failed on purpose.
  rmSync(join(directory, `${name}.reached`), { force: true })
  writeFileSync(join(directory, `.${name}`), action)
  renameSync(join(directory, `.${name}`), join(directory, name))
  return join(directory, `${name}.reached`)
}
