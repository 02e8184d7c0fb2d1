import { describe, expect, it } from 'vitest'
import { getSafeRedirectUrl } from './safe-redirect-url.ts'

describe('the address to redirect to', () => {
  it.each(['https://rzp.io/i/x', 'http://localhost:4010/i/plink_1?a=b'])('%s may be opened', (url) => {
    expect(getSafeRedirectUrl(url, ['https://rzp.io', 'http://localhost:4010'])).toBe(url)
  })

  it.each([
    undefined,
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    '/pay',
    'pay.example',
    'https://evil.example/i/x',
    'https://rzp.io.evil.example/i/x',
    'https://rzp.io@evil.example/i/x',
    'https://somebody@rzp.io/i/x',
    'http://rzp.io/i/x',
    'https://rzp.io:8443/i/x',
  ])('%s may not', (url) => {
    expect(getSafeRedirectUrl(url, ['https://rzp.io', 'http://localhost:4010'])).toBeNull()
  })
})
