import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const directory = mkdtempSync(join(tmpdir(), 'kist-config-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const demo = { KIST_DATA_DIR: directory }
const production = {
  ...demo,
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://kist_app:secret@db/kist',
  KIST_ORIGIN: 'https://loans.example',
  KIST_TOKEN_KEY_PEM: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----',
  KIST_CODE_KEY: 'k'.repeat(32),
  RAZORPAY_KEY_ID: 'rzp_live_abcdefghijkl12',
  RAZORPAY_KEY_SECRET: 's'.repeat(24),
  RAZORPAY_WEBHOOK_SECRET: 'w'.repeat(24),
}
const faultsOf = (environment: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('the settings', () => {
  it('need none at all for the demo', () => {
    const config = readConfig(demo)
    expect(config).toMatchObject({ demo: true, production: false, port: 3000, origins: ['http://localhost:3000'], sandboxPort: 4010 })
    expect(config.razorpay).toMatchObject({ keyId: 'rzp_test_kist00000000', baseUrl: null })
    expect(config.portal.polling).toEqual({ initial_delay_ms: 5000, interval_ms: 3000, overall_timeout_ms: 90000, redirect_delay_ms: 3000 })
  })
  it('keep the secrets that the demo made', () => {
    expect(readConfig(demo).signIn).toEqual(readConfig(demo).signIn)
  })
  it('tell every fault at once', () => {
    const faults = faultsOf({ ...demo, PORT: 'http', KIST_ROLE: 'boss', KIST_LINK_LIFETIME_MINUTES: '5', DATABASE_URL: 'mysql://x' })
    expect(faults).toEqual([
      'KIST_ROLE must be web, worker or all',
      'PORT must be a whole number',
      'DATABASE_URL must be a postgres:// address',
      'KIST_LINK_LIFETIME_MINUTES must be between 16 and 1440',
    ])
  })
  it('make production on settings that are all there, with the real provider', () => {
    expect(readConfig(production)).toMatchObject({
      production: true,
      demo: false,
      signIn: { limits: 'strict' },
      razorpay: { baseUrl: 'https://api.razorpay.com' },
    })
  })
  it.each(['DATABASE_URL', 'KIST_TOKEN_KEY_PEM', 'KIST_CODE_KEY', 'RAZORPAY_KEY_ID', 'RAZORPAY_KEY_SECRET', 'RAZORPAY_WEBHOOK_SECRET'])(
    'miss %s in production',
    (name) => {
      expect(faultsOf({ ...production, [name]: '' })).toEqual([expect.stringContaining(`${name} is missing`)])
    },
  )
  it.each([
    ['the demo', { KIST_DEMO: 'true' }, 'KIST_DEMO'],
    ['relaxed limits', { KIST_LIMITS: 'relaxed' }, 'KIST_LIMITS'],
    ['a moved clock', { KIST_CLOCK: '+3d' }, 'KIST_CLOCK'],
    ['live keys on another host', { RAZORPAY_BASE_URL: 'http://127.0.0.1:4010' }, 'RAZORPAY_BASE_URL'],
    ['an origin with a path', { KIST_ORIGIN: 'https://loans.example/portal' }, 'KIST_ORIGIN'],
  ])('refuse %s in production', (_name, change, setting) => {
    expect(faultsOf({ ...production, ...change })).toEqual([expect.stringContaining(setting)])
  })
})
