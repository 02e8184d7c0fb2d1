import { describe, expect, test } from 'vitest'
import { pickLanguage } from './language.ts'

const base = { stored: null, browser: [], defaultLanguage: 'en', detect: true }

describe('pickLanguage', () => {
  test('a stored choice wins', () => {
    expect(pickLanguage({ ...base, stored: 'hi', browser: ['en-IN'] })).toBe('hi')
  })
  test('a stored language that is not ours is ignored', () => {
    expect(pickLanguage({ ...base, stored: 'ta' })).toBe('en')
  })
  test('the browser’s first language of ours is taken', () => {
    expect(pickLanguage({ ...base, browser: ['ta-IN', 'hi-IN', 'en'] })).toBe('hi')
  })
  test('no detection where the lender does not want it', () => {
    expect(pickLanguage({ ...base, browser: ['hi-IN'], detect: false })).toBe('en')
  })
  test('the lender’s default, and English where it is none of ours', () => {
    expect(pickLanguage({ ...base, defaultLanguage: 'hi' })).toBe('hi')
    expect(pickLanguage({ ...base, defaultLanguage: 'fr' })).toBe('en')
  })
})
