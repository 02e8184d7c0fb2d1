import { expect, test } from 'vitest'
import { listPaymentOrigins } from './payment-origins.ts'

test('are the provider’s own, over TLS', () => {
  const origins = listPaymentOrigins('https://api.razorpay.com')
  expect(origins).toContain('https://rzp.io')
  expect(origins.filter((origin) => !/^https:\/\/([\w-]+\.)?(rzp\.io|razorpay\.com)$/.test(origin))).toEqual([])
})

test('are those of the stand-in, under each name of this machine', () => {
  expect(listPaymentOrigins('http://127.0.0.1:4010')).toEqual([
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://[::1]:4010',
    ...listPaymentOrigins('https://api.razorpay.com'),
  ])
  expect(listPaymentOrigins('https://sandbox.example')).toEqual([
    'https://sandbox.example',
    ...listPaymentOrigins('https://api.razorpay.com'),
  ])
})
