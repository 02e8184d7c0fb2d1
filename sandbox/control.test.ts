import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBench, temporaryFolder, type Bench, type LinkJson, type StateJson } from './bench.testing.ts'

let bench: Bench
beforeEach(async () => {
  bench = await startBench()
})
afterEach(() => bench.close())

const fault = (order: unknown): Promise<{ status: number }> => bench.control('/faults', order)
const found = async (reference: string): Promise<number> => {
  const where = `/payment_links?reference_id=${reference}`
  return (await bench.api<{ payment_links: unknown[] }>('GET', where)).body.payment_links.length
}
const create = (reference_id: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${bench.sandbox.url}/v1/payment_links`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from('rzp_test_kist00000000:test-key-secret').toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ amount: 50_000, reference_id }),
    ...(signal ? { signal } : {}),
  })

describe('faults', () => {
  it.each([
    ['timeout_before', 0],
    ['timeout_after', 1],
  ])('%s leaves the caller without an answer', async (kind, made) => {
    await fault({ call: 'create', kind })
    const caller = new AbortController()
    const answer = create('t-1', caller.signal).catch(() => 'cut off')
    await vi.waitFor(async () => expect(await bench.state()).toMatchObject({ faults: [] }), { timeout: 60_000 })
    caller.abort()
    expect(await answer).toBe('cut off')
    expect(await found('t-1')).toBe(made)
  })

  it.each([
    ['reset', 0],
    ['reset_after', 1],
  ])('%s breaks the connection', async (kind, made) => {
    await fault({ call: 'create', kind })
    await expect(create('r-1')).rejects.toThrow()
    expect(await found('r-1')).toBe(made)
  })

  it('answers 429, 500, 502 as a web page and 503, then is healthy again', async () => {
    await fault([429, 500, 502, 503].map((status) => ({ call: 'create', kind: 'status', status })))
    const answers = [await create('s-1'), await create('s-1'), await create('s-1'), await create('s-1')]
    expect(answers.map(({ status }) => status)).toEqual([429, 500, 502, 503])
    expect(await answers[2]?.text()).toContain('<html>')
    expect((await create('s-1')).status).toBe(200)
  })

  it('answers 500 after the link was made', async () => {
    await fault({ call: 'create', kind: 'status_after' })
    expect((await create('a-1')).status).toBe(500)
    expect(await found('a-1')).toBe(1)
  })

  it('cuts the JSON, answers a wrong amount, answers late', async () => {
    await fault({ call: 'create', kind: 'malformed_json' })
    await expect((await create('m-1')).json()).rejects.toThrow()
    await fault({ call: 'create', kind: 'wrong_amount', amount_delta: -1 })
    expect(await (await create('m-2')).json()).toMatchObject({ amount: 49_999 })
    await fault({ call: 'create', kind: 'latency', latency_ms: 60 })
    const startedMs = performance.now()
    await create('m-3')
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(55)
  })

  it('answers an old state to a read', async () => {
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`)
    await fault({ call: 'fetch', kind: 'stale_read', payment_link_id: link.id })
    const read = async (): Promise<LinkJson> => (await bench.api<LinkJson>('GET', `/payment_links/${link.id}`)).body
    expect(await read()).toMatchObject({ status: 'created', amount_paid: 0, payments: null })
    expect(await read()).toMatchObject({ status: 'paid' })
  })

  it('strikes only the calls it is meant for, as often as it is told', async () => {
    await fault({ call: 'create', kind: 'status', reference_id: 'x-1', times: 2 })
    await fault({ call: 'create', kind: 'status', amount: 77_700, times: 'forever' })
    expect((await create('x-2')).status).toBe(200)
    expect((await create('x-1')).status).toBe(500)
    expect((await create('x-1')).status).toBe(500)
    expect((await create('x-1')).status).toBe(200)
    await fault({ clear: true })
    expect(await bench.state()).toMatchObject({ faults: [] })
  })

  it('refuses orders that make no sense', async () => {
    for (const order of [
      { call: 'create', kind: 'drop' },
      { call: 'x', kind: 'reset' },
      { call: 'create', kind: 'reset', tmies: 1 },
    ]) {
      expect(await fault(order)).toMatchObject({ status: 400 })
    }
  })
})

describe('time', () => {
  it('expires links, and tells the portal through clock.json', async () => {
    const { now } = await bench.state()
    const link = await bench.link({ expire_by: now + 1000 })
    const moved = await bench.control<{ offset_ms: number }>('/time', { advance_seconds: 1001 })
    expect(moved.body.offset_ms).toBe(1_001_000)
    const clock = fs.readFileSync(path.join(bench.dataDir, 'clock.json'), 'utf8')
    expect(JSON.parse(clock)).toEqual({ offset_ms: 1_001_000 })
    const state = await bench.state()
    expect(state.links).toMatchObject([{ id: link.id, status: 'expired' }])
    expect(state.webhook_deliveries).toMatchObject([{ event: 'payment_link.expired' }])
    const pay = await bench.control(`/links/${link.id}/pay`)
    expect(pay).toMatchObject({ status: 409, body: { error: { description: 'payment link is expired' } } })
  })
})

describe('a seeded fault', () => {
  it('strikes the same calls again under the same seed', async () => {
    const struck = async (seed: number): Promise<string> => {
      await fault({ clear: true })
      await fault({ call: 'list', kind: 'status', probability: 0.5, times: 'forever', seed })
      const statuses: number[] = []
      for (let n = 0; n < 24; n++) statuses.push((await bench.api('GET', '/payment_links')).status)
      return statuses.join(' ')
    }
    const first = await struck(7)
    expect(first).toContain('200')
    expect(first).toContain('500')
    expect(await struck(7)).toBe(first)
    expect(await struck(8)).not.toBe(first)
  })
})

describe('a seeded sandbox', () => {
  it('draws the same ids, and others after it was started again', async () => {
    const folder = temporaryFolder()
    const idsOf = async (seed: string, dataDir?: string): Promise<string[]> => {
      const seeded = await startBench({ seed, ...(dataDir === undefined ? {} : { dataDir }) })
      const ids = [(await seeded.link()).id, (await seeded.link()).id]
      await seeded.close()
      return ids
    }
    const first = await idsOf('one', folder)
    expect(await idsOf('one')).toEqual(first)
    expect(await idsOf('two')).not.toEqual(first)
    expect(first).not.toContain((await idsOf('one', folder))[0])
    fs.rmSync(folder, { recursive: true })
  })
})

describe('the provider’s own clock', () => {
  it('stands still, goes wrong, and tells nobody', async () => {
    const clockFile = (): unknown => JSON.parse(fs.readFileSync(path.join(bench.dataDir, 'clock.json'), 'utf8'))
    const before = (await bench.state()).now
    await bench.control('/time', { skew_seconds: 600 })
    expect((await bench.state()).now).toBeGreaterThanOrEqual(before + 600)
    await bench.control('/time', { skew_seconds: 0, freeze: true })
    const frozen = (await bench.state()).now
    await bench.control('/time', { advance_seconds: 5 })
    expect((await bench.state()).now).toBe(frozen + 5)
    expect(clockFile()).toEqual({ offset_ms: 5000 })
    await bench.control('/time', { freeze: false })
    expect((await bench.state()).now).toBeGreaterThanOrEqual(frozen + 5)
  })

  it('lets links expire late, each by its own lag', async () => {
    const lagging = await startBench({ expiryLagSeconds: 30 })
    const { now } = await lagging.state()
    for (let n = 0; n < 8; n++) await lagging.link({ expire_by: now + 1000 })
    await lagging.control('/time', { advance_seconds: 1031 })
    const { links } = await lagging.state()
    expect(new Set(links.map(({ status }) => status))).toEqual(new Set(['expired']))
    await lagging.close()
  })
})

describe('the control API', () => {
  it('tells the state of one link alone', async () => {
    const link = await bench.link()
    await bench.link()
    await bench.control(`/links/${link.id}/pay`)
    const answer = await fetch(`${bench.sandbox.url}/__sandbox/state?payment_link_id=${link.id}`)
    const state = (await answer.json()) as StateJson
    expect(state.links.map(({ id }) => id)).toEqual([link.id])
    expect(state.webhook_deliveries).toHaveLength(4)
  })

  it('says who it is', async () => {
    const health = await (await fetch(`${bench.sandbox.url}/__sandbox/health`)).json()
    expect(health).toEqual({ service: 'kist-sandbox', pid: process.pid, data_dir: expect.any(String) })
  })

  it('pays by card and netbanking too', async () => {
    for (const method of ['card', 'netbanking']) {
      const link = await bench.link()
      const paid = await bench.control(`/links/${link.id}/pay`, { method, outcome: 'success' })
      expect(paid).toMatchObject({ status: 200, body: { payment: { method, status: 'captured' }, redirect_url: null } })
    }
  })

  it('explains what is wrong', async () => {
    const link = await bench.link()
    expect(await bench.control('/links/plink_none/pay')).toMatchObject({ status: 404 })
    expect(await bench.control(`/links/${link.id}/pay`, { method: 'cash' })).toMatchObject({ status: 400 })
    expect(await bench.control('/time', { advance_seconds: 'x' })).toMatchObject({ status: 400 })
    expect(await bench.control('/nothing')).toMatchObject({ status: 404 })
    const foreign = await fetch(`${bench.sandbox.url}/__sandbox/reset`, {
      method: 'POST',
      headers: { origin: 'http://evil.example' },
    })
    expect(foreign.status).toBe(403)
  })

  it('shows its links on a page, and forgets everything on reset', async () => {
    const link = await bench.link()
    const page = await (await fetch(`${bench.sandbox.url}/__sandbox`)).text()
    expect(page).toContain(link.id)
    await bench.control('/reset')
    expect(await bench.state()).toMatchObject({ links: [], offset_ms: 0 })
  })
})
