import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dayMs } from '#domain/durations.ts'
import { demoClock, parseClockShift } from './clock.ts'

describe('KIST_CLOCK', () => {
  it.each([
    ['+3d', 3 * dayMs],
    ['-1h', -3_600_000],
    ['+90s', 90_000],
    ['+0s', 0],
  ])('%s adds to the clock', (text, ms) => {
    expect(parseClockShift(text)).toBe(ms)
  })
  it('an instant is where the clock starts', () => {
    expect(parseClockShift('2026-12-05T04:00:00Z', Date.parse('2026-12-01T04:00:00Z'))).toBe(4 * dayMs)
  })
  it.each(['3d', '+3w', 'tomorrow', '2026-12-05', ''])('%s is neither', (text) => {
    expect(parseClockShift(text)).toBeNull()
  })
})

it('the demo follows the time of the provider sandbox', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kist-clock-'))
  const file = join(directory, 'clock.json')
  const clock = demoClock('+0s', file)
  const before = Date.now()
  const now = clock.now().getTime()
  expect([now >= before, now <= Date.now()]).toEqual([true, true])
  writeFileSync(file, JSON.stringify({ offset_ms: dayMs }))
  const beforeThat = Date.now()
  const tomorrow = clock.now().getTime() - dayMs
  expect([tomorrow >= beforeThat, tomorrow <= Date.now()]).toEqual([true, true])
  rmSync(directory, { recursive: true })
})
