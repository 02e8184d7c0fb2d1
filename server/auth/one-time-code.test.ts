import { describe, expect, it } from 'vitest'
import { codeMatches, hashCode, hashSessionToken, generateCode, generateSessionToken } from './one-time-code.ts'

const key = 'a key of at least thirty-two characters'
const binding = { tokenHash: hashSessionToken('a session'), phone: '+919000000001', purpose: 'sign_in' as const }

describe('one-time codes', () => {
  it('A01: are uniform over 000000–999999, leading zeros kept', () => {
    const drawn = 100_000
    const buckets = Array.from({ length: 100 }, () => 0)
    for (let draw = 0; draw < drawn; draw++) {
      const code = generateCode()
      if (!/^[0-9]{6}$/.test(code)) expect.fail(`${code} is not six digits`)
      const bucket = Math.floor(Number(code) / 10_000)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    }
    const expected = drawn / buckets.length
    const chiSquare = buckets.reduce((sum, observed) => sum + (observed - expected) ** 2 / expected, 0)
    // 99 degrees of freedom: a fair draw exceeds 148.2 once in a thousand runs and 200 once in a
    // hundred million.
    expect(chiSquare).toBeLessThan(200)
    expect(buckets[0]).toBeGreaterThan(0)
  })

  it('A16: match only the same code, session, phone and purpose', () => {
    const stored = hashCode(key, binding, '012345')
    expect(codeMatches(key, binding, '012345', stored)).toBe(true)
    expect(codeMatches(key, binding, '012346', stored)).toBe(false)
    expect(codeMatches(key, { ...binding, phone: '+919000000002' }, '012345', stored)).toBe(false)
    expect(codeMatches(key, { ...binding, tokenHash: hashSessionToken('another') }, '012345', stored)).toBe(false)
    expect(codeMatches(key, { ...binding, purpose: 'own_act' }, '012345', stored)).toBe(false)
    expect(codeMatches(`${key}!`, binding, '012345', stored)).toBe(false)
    expect(codeMatches(key, binding, '012345', stored.subarray(1))).toBe(false)
  })

  it('S11: session tokens have 256 bits and never repeat', () => {
    const tokens = Array.from({ length: 1_000 }, generateSessionToken)
    expect(new Set(tokens).size).toBe(tokens.length)
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  })
})
