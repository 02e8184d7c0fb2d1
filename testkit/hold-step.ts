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
  const { directory } = app.context.config.failPoints
  const reached = join(directory, `${name}.reached`)
  writeFileSync(join(directory, `.${name}`), 'hold')
  renameSync(join(directory, `.${name}`), join(directory, name))
  return {
    reached: async () => void (await until(() => existsSync(reached))),
    release: () => rmSync(reached),
  }
}
