import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { freePort } from '#server/database/free-port.ts'
import { startApp, type App } from '#testkit/start-app.ts'

let app: App
beforeAll(async () => {
  const port = await freePort()
  app = await startApp(inject('cluster'), { town: true, settings: { PORT: String(port), KIST_ORIGIN: `http://localhost:${port}` } })
})
afterAll(() => app.close())

const run = (...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, 'run.ts')
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    )
  })

const outbox = () => join(app.context.config.dataDirectory, 'outbox.ndjson')

it("a stranger's client finds every call as the specification has it", async () => {
  const { code, output } = await run('--base', app.url, '--outbox', outbox(), '--sandbox', app.sandboxUrl)
  expect(output).toMatch(/^\d+ passed, 0 failed$/m)
  expect(output).not.toContain('FAIL')
  expect(code).toBe(0)
})

it('a second visit finds the same', async () => {
  const { code, output } = await run('--base', app.url, '--outbox', outbox(), '--sandbox', app.sandboxUrl)
  expect(output).toMatch(/ 0 failed$/m)
  expect(code).toBe(0)
})

it('tells what is wrong, and fails, where nothing answers as it should', async () => {
  const { code, output } = await run('--base', app.sandboxUrl, '--outbox', outbox(), '--sandbox', app.sandboxUrl)
  expect(output).toMatch(/^0 passed, \d+ failed$/m)
  expect(code).toBe(1)
})
