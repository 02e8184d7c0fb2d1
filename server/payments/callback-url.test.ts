import { expect, it } from 'vitest'
import { isAllowedCallback } from './callback-url.ts'

const page = '/payments/waiting-for-payment'

it.each([`http://localhost:3000${page}`, `http://127.0.0.1:3000${page}`, `http://[::1]:3000${page}`])(
  'takes %s for a portal on this machine',
  (url) => {
    expect(isAllowedCallback(url, ['http://localhost:3000'])).toBe(true)
  },
)
it('takes each of several origins', () => {
  const origins = ['https://loans.example', 'https://loans.example.in']
  expect(origins.every((origin) => isAllowedCallback(origin + page, origins))).toBe(true)
})
it.each([
  `http://localhost:3001${page}`,
  `https://localhost:3000${page}`,
  `http://localhost:3000${page}/`,
  `http://localhost:3000${page}?x=1`,
  `http://localhost:3000${page}#x`,
  `http://user@localhost:3000${page}`,
  `http://localhost:3000@evil.example${page}`,
  `http://localhost.evil.example:3000${page}`,
  `http://localhost:3000/payments/../payments/waiting`,
  'javascript:alert(1)',
  '//localhost:3000',
  '',
])('refuses %s', (url) => {
  expect(isAllowedCallback(url, ['http://localhost:3000'])).toBe(false)
})
it('takes no name of this machine for a portal elsewhere', () => {
  expect(isAllowedCallback(`http://127.0.0.1${page}`, ['https://loans.example'])).toBe(false)
})
