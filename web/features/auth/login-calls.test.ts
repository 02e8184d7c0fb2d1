import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchCodeStatus } from './login-calls.ts'

const fetched = vi.fn<typeof fetch>()
beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('navigator', { onLine: true })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.resetAllMocks()
})

type Answer = 'waiting' | 'sent' | 'failed' | 'refused' | 'lost'
/** Each check gets the next answer. @returns each report with its second, and the checks. */
async function watch(answers: readonly Answer[], { startAtMs = 0, abortAtMs = 60_000 } = {}) {
  const [reports, checks] = [[] as string[], [] as number[]]
  fetched.mockImplementation(async () => {
    const answer = answers[checks.length] ?? 'waiting'
    checks.push(Date.now() / 1000)
    if (answer === 'lost') throw new TypeError('no connection')
    if (answer !== 'refused') return Response.json({ status: answer })
    const problem = { type: 'about:blank', title: 't', status: 400, detail: 'd', code: 'AuthInvalidOTPError', request_id: 'r' }
    return Response.json(problem, { status: 400 })
  })
  vi.setSystemTime(startAtMs)
  const ended = new AbortController()
  setTimeout(() => ended.abort(), abortAtMs - startAtMs)
  const onStatus = (status: string, isLastCheck: boolean) => reports.push(`${Date.now() / 1000} s ${status}${isLastCheck ? ', last' : ''}`)
  void watchCodeStatus({ sessionToken: 's/1', atMs: 0, onStatus, signal: ended.signal })
  await vi.advanceTimersByTimeAsync(120_000)
  return { reports, checks }
}

test('a waiting code is asked for after 3, 8, 15 and 30 seconds, then no more', async () => {
  const { reports, checks } = await watch([])
  expect(checks).toEqual([3, 8, 15, 30])
  expect(reports).toEqual(['3 s waiting', '8 s waiting', '15 s waiting', '30 s waiting, last'])
  expect(fetched.mock.calls[0]?.[0]).toBe('/api/v1/auth/code-status?session_token=s%2F1')
})
test.each(['sent', 'failed'] as const)('nothing is asked once it is %s', async (status) => {
  expect(await watch(['waiting', status])).toEqual({ reports: ['3 s waiting', `8 s ${status}`], checks: [3, 8] })
})
test('nothing is asked of a code that is no longer valid', async () => {
  expect(await watch(['refused'])).toEqual({ reports: [], checks: [3] })
})
test('without an answer nothing is reported, and the next check follows', async () => {
  expect((await watch(['lost', 'lost', 'lost', 'lost'])).reports).toEqual([])
  expect((await watch(['lost', 'sent'])).reports).toEqual(['8 s sent'])
})
test('nothing is asked once nobody waits any more', async () => {
  expect((await watch([], { abortAtMs: 10_000 })).checks).toEqual([3, 8])
})
test('a page that was out of sight asks once for the checks that are due', async () => {
  expect((await watch([], { startAtMs: 16_000 })).checks).toEqual([16, 30])
})
