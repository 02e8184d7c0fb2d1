import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientOf, testKeySecret, deadUrl, startBench, startReceiver, temporaryFolder, testWebhookSecret } from './bench.testing.ts'

const mainFile = path.join(import.meta.dirname, 'main.ts')
const children: ChildProcess[] = []
const folders: string[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}

type Started = { readonly child: ChildProcess; readonly url: string }

function run(env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env['PATH'] ?? '',
      SANDBOX_PORT: '0',
      SANDBOX_WEBHOOK_URL: deadUrl,
      SANDBOX_RETRY_SCALE: '0.01',
      SANDBOX_WEBHOOK_TIMEOUT_MS: '60000',
      RAZORPAY_KEY_SECRET: testKeySecret,
      RAZORPAY_WEBHOOK_SECRET: testWebhookSecret,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

async function start(env: Record<string, string>): Promise<Started> {
  const child = run(env)
  const message = await text(child, (all) => all.includes('\n'))
  const port = /localhost:(\d+)/.exec(message)?.[1] ?? ''
  return { child, url: `http://127.0.0.1:${port}` }
}

/** The output of the process once `enough` returns true or the process has ended. */
function text(child: ChildProcess, enough: (all: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let all = ''
    const take = (chunk: Buffer): void => {
      all += chunk.toString()
      if (enough(all)) resolve(all)
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('close', () => resolve(all))
  })
}

describe('the process', () => {
  it('keeps links, payments and pending webhooks over kill -9', async () => {
    const SANDBOX_DATA_DIR = newFolder()
    const first = await start({ SANDBOX_DATA_DIR })
    const before = clientOf(first.url)
    const paid = await before.link({ reference_id: 'kept-1' })
    const open = await before.link({ reference_id: 'kept-2' })
    await before.control(`/links/${paid.id}/pay`)
    await before.control('/time', { advance_seconds: 60 })
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    // A crash in the middle of a write leaves half a line.
    fs.appendFileSync(path.join(SANDBOX_DATA_DIR, 'journal.ndjson'), '[["link",{"id":"plink_')

    const receiver = await startReceiver()
    const second = await start({ SANDBOX_DATA_DIR, SANDBOX_WEBHOOK_URL: receiver.url })
    const after = clientOf(second.url)
    const state = await after.state()
    expect(state.offset_ms).toBe(60_000)
    expect(state.links.map(({ id, status }) => [id, status])).toEqual([
      [paid.id, 'paid'],
      [open.id, 'created'],
    ])
    expect(state.payments).toMatchObject([{ status: 'captured' }])
    await vi.waitFor(() => expect(receiver.received).toHaveLength(4), { timeout: 60_000 })
    const again = await after.api('POST', '/payment_links', { amount: 50_000, reference_id: 'kept-1' })
    expect(again.status).toBe(400)
    await receiver.close()
  })

  it('stops cleanly on SIGTERM, even with a caller left hanging', async () => {
    const { child, url } = await start({ SANDBOX_DATA_DIR: newFolder() })
    const client = clientOf(url)
    await client.control('/faults', { call: 'list', kind: 'timeout_before' })
    const hanging = client.api('GET', '/payment_links').catch(() => 'cut off')
    await vi.waitFor(async () => expect(await client.state()).toMatchObject({ faults: [] }), { timeout: 60_000 })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await hanging).toBe('cut off')
  })

  it('refuses live keys and lists every wrong setting', async () => {
    const child = run({ RAZORPAY_KEY_ID: 'rzp_live_abc', SANDBOX_WEBHOOK_URL: 'nowhere' })
    const message = await text(child, () => false)
    expect(message).toContain('is a live key')
    expect(message).toContain('SANDBOX_WEBHOOK_URL')
    expect(child.exitCode).toBe(1)
  })

  it('says that its port is taken, and leaves the other one alone', async () => {
    const bench = await startBench()
    const child = run({ SANDBOX_PORT: String(bench.sandbox.port), SANDBOX_DATA_DIR: bench.dataDir })
    expect(await text(child, () => false)).toContain('the port is in use')
    await bench.link()
    await bench.close()
  })
})
