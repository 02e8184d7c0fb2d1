import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '#server/database/free-port.ts'

/** Computes as many ms as it is told; told 0, it waits. Answers how long its event loop slept. */
const program = `
  import { setTimeout as delay } from 'node:timers/promises'
  const cpuMs = () => process.threadCpuUsage().user / 1000
  process.on('message', async (ms) => {
    const slept = performance.eventLoopUtilization()
    if (ms === 0) await delay(500)
    for (const from = cpuMs(); cpuMs() - from < ms; );
    process.send(performance.eventLoopUtilization(slept).idle)
  })
  process.send('ready')`

let url: string
let probed: ReturnType<typeof spawn>

const ask = async (path: string) => Number(await (await fetch(url + path)).text())
async function compute(ms: number): Promise<number> {
  probed.send(ms)
  const [sleptMs] = await once(probed, 'message')
  return sleptMs as number
}

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const probe = new URL('event-loop-probe.ts', import.meta.url).href
  probed = spawn(process.execPath, ['--import', probe, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, KIST_PROBE_PORT: String(port) },
  })
  await once(probed, 'message')
})
afterAll(() => void probed.kill())

it('a turn of 60 ms is found', async () => {
  await ask('/')
  await compute(60)
  expect(await ask('/')).toBeGreaterThanOrEqual(60)
})

it('the loop sleeps while it is measured and has no work', async () => {
  await ask('/')
  expect(await compute(0)).toBeGreaterThan(100)
})
