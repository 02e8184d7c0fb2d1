import { expect, it } from 'vitest'
import { countOfReport } from './test-count.ts'

const spec = (title: string, status: string, ...seconds: number[]) => ({
  file: 'pay.e2e.ts',
  title,
  tests: [{ status, results: seconds.map((duration, index) => resultOf(duration, status !== 'expected' && index === 0)) }],
})
const resultOf = (duration: number, isFailed: boolean) => ({
  startTime: '2026-11-22T10:00:00Z',
  duration: duration * 1_000,
  ...(isFailed ? { error: { message: '\u001B[31mExpected: 1\u001B[39m\n\nReceived: 2' } } : {}),
})
const report = {
  stats: { expected: 1, unexpected: 1, skipped: 1 },
  suites: [{ specs: [spec('passes', 'expected', 2), spec('fails', 'unexpected', 3, 3), spec('fails once', 'flaky', 4, 1)] }],
}

it('counts a browser test that failed once as failed, and names it and its first error', () => {
  expect(countOfReport(report, () => false)).toEqual({
    passed: 1,
    failed: 3,
    failures: ['fails', 'fails once'].map((title) => `e2e/pay.e2e.ts: ${title}\n    Expected: 1\n    Received: 2`),
    files: [{ file: 'e2e/pay.e2e.ts', seconds: 13 }],
  })
})

it('counts it as passed where its first run may be repeated', () => {
  const from = new Date('2026-11-22T10:00:00Z')
  const attempt = { title: 'fails once', from, to: new Date(from.getTime() + 4_000) }
  expect(countOfReport(report, (failed) => failed.to.getTime() === attempt.to.getTime())).toMatchObject({
    passed: 2,
    failed: 2,
    failures: [expect.stringMatching(/^e2e\/pay.e2e.ts: fails\n/)],
  })
})
