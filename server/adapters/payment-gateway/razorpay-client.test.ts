import { expect, it } from 'vitest'
import { createRazorpayClient } from './razorpay-client.ts'

const live = { keyId: 'rzp_live_abcdefghijkl12', keySecret: 'Zk3vN8qLr2Xw9TbYc5Hd7JmP', timeoutMs: 1_000 }

it.each([
  'http://127.0.0.1:4010',
  'https://api.razorpay.com.evil.example',
  'http://api.razorpay.com',
  'https://api.razorpay.com@evil.example',
  'https://api.razorpay.com:8443',
  'https://api.razorpay.com/',
])('sends live keys to no host but the provider’s: %s', (baseUrl) => {
  expect(() => createRazorpayClient({ ...live, baseUrl })).toThrow(/Live keys/)
})
it('accepts live keys for the provider, and test keys for the sandbox', () => {
  expect(() => createRazorpayClient({ ...live, baseUrl: 'https://api.razorpay.com' })).not.toThrow()
  expect(() => createRazorpayClient({ ...live, keyId: 'rzp_test_abcdefghijkl12', baseUrl: 'http://127.0.0.1:4010' })).not.toThrow()
})
