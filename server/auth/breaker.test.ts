import { describe, expect, it } from 'vitest'
import { secondMs, dayMs } from '#domain/durations.ts'
import { freeTokens, returnToken, takeToken, forceTakeToken, unusedCodesPerDay } from './breaker.ts'

const start = new Date('2026-12-05T04:30:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)

/** Takes tokens at one moment until none is free without waiting. */
function empty(tokensPerDay: number, now = start, fullAt = new Date(0)): { taken: number; fullAt: Date } {
  for (let taken = 0; ; taken++) {
    const token = takeToken(fullAt, tokensPerDay, now)
    if (token.kind === 'refused' || token.sendAt > now) return { taken, fullAt }
    fullAt = token.fullAt
  }
}

describe('the breaker', () => {
  it.each([1, 7, 300, 10_123, 100_000])('lets a day’s codes leave at once: %i', (tokensPerDay) => {
    expect(empty(tokensPerDay).taken).toBe(tokensPerDay)
    expect(freeTokens(new Date(0), tokensPerDay, start)).toBe(tokensPerDay)
    expect(freeTokens(empty(tokensPerDay).fullAt, tokensPerDay, start)).toBe(0)
  })

  it('then delays a code until a token is free, at most 120 s, and refuses the next until that is possible', () => {
    const { fullAt } = empty(300)
    expect(takeToken(fullAt, 300, start)).toEqual({ kind: 'refused', retryAfterMs: 168 * secondMs })
    expect(takeToken(fullAt, 300, after(168 * secondMs - 1))).toMatchObject({ kind: 'refused', retryAfterMs: 1 })
    const delayed = takeToken(fullAt, 300, after(168 * secondMs))
    expect(delayed).toMatchObject({ kind: 'taken', sendAt: after(288 * secondMs) })
    expect(takeToken(fullAt, 300, after(288 * secondMs))).toMatchObject({ kind: 'taken', sendAt: after(288 * secondMs) })
    if (delayed.kind !== 'taken') throw new Error('refused')
    expect(takeToken(delayed.fullAt, 300, after(168 * secondMs))).toEqual({ kind: 'refused', retryAfterMs: 288 * secondMs })
  })

  it('gets a token back with each sign-in', () => {
    const fullAt = returnToken(empty(300).fullAt, 300)
    expect(freeTokens(fullAt, 300, start)).toBe(1)
    expect(empty(300, start, fullAt).taken).toBe(1)
    expect(empty(300, start, returnToken(new Date(0), 300)).taken).toBe(300)
  })

  it('allows an unlocked phone, and counts its code', () => {
    const { fullAt } = empty(300)
    const passed = forceTakeToken(fullAt, 300, start)
    expect(passed.getTime()).toBeGreaterThan(fullAt.getTime())
    expect(passed.getTime()).toBeLessThanOrEqual(start.getTime() + dayMs + 120 * secondMs)
    expect(takeToken(passed, 300, after(170 * secondMs)).kind).toBe('refused')
  })

  it('is empty, but refills, after its clock was set back', () => {
    const { fullAt } = empty(300, after(365 * dayMs))
    expect(takeToken(fullAt, 300, start)).toMatchObject({ kind: 'refused', retryAfterMs: 288 * secondMs })
  })

  it('has 1 % of the month’s sign-ins where that is more than the setting', () => {
    expect([unusedCodesPerDay(300, 0), unusedCodesPerDay(300, 30_000), unusedCodesPerDay(300, 45_678)]).toEqual([300, 300, 456])
  })
})

describe('code spraying', () => {
  /**
   * A seeded random number generator. https://github.com/bryc/code/blob/master/jshash/PRNGs.md
   * (mulberry32, public domain)
   */
  function random(seed: number): () => number {
    let state = seed
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
    }
  }

  const phones = 1_000_000
  const guessesPerCode = 3
  const codes = 1_000_000

  /**
   * Simulates a year of an attacker who knows every phone, uses many networks, and requests a code
   * whenever one may be sent.
   */
  function attackForAYear(next: () => number, unusedCodesPerDay: number): { guesses: number; opened: number; longestWaitMs: number } {
    const year = { guesses: 0, opened: 0, longestWaitMs: 0 }
    let fullAt = new Date(0)
    let now = start
    for (;;) {
      const token = takeToken(fullAt, unusedCodesPerDay, now)
      if (token.kind === 'refused') {
        now = new Date(now.getTime() + token.retryAfterMs)
        if (now.getTime() >= start.getTime() + 365 * dayMs) return year
        continue
      }
      year.longestWaitMs = Math.max(year.longestWaitMs, token.sendAt.getTime() - now.getTime())
      // Each phone at most once a day, so that no limit of a phone applies.
      const code = Math.floor(next() * codes)
      const first = Math.floor(next() * codes)
      let isRight = false
      for (let guess = 0; guess < guessesPerCode && !isRight; guess++) {
        year.guesses += 1
        isRight = (first + guess) % codes === code
      }
      if (isRight) year.opened += 1
      // A right guess is a sign-in, which returns the token.
      fullAt = isRight ? returnToken(token.fullAt, unusedCodesPerDay) : token.fullAt
    }
  }

  it('opens 0.33 accounts of 10⁶ phones a year, as docs/security.md computes', () => {
    const years = 20
    const next = random(20_261_122)
    let opened = 0
    for (let year = 0; year < years; year++) {
      const result = attackForAYear(next, 300)
      expect(result.longestWaitMs).toBeLessThanOrEqual(120 * secondMs)
      // 365 days of 300 codes, the initial 300, and one waiting at the end; a sign-in saves at most
      // two guesses.
      expect(result.guesses).toBeLessThanOrEqual((366 * 300 + 1 + result.opened) * guessesPerCode)
      expect(result.guesses).toBeGreaterThan(365 * 300 * guessesPerCode)
      opened += result.opened
    }
    expect(300 * 365).toBeLessThan(phones)
    const expected = years * 365 * guessesPerCode * 300 * 1e-6
    expect(expected / years).toBeCloseTo(0.33, 2)
    // Four standard deviations of a Poisson count.
    expect(Math.abs(opened - expected)).toBeLessThan(4 * Math.sqrt(expected))
    expect(opened).toBeGreaterThan(0)
  })
})
