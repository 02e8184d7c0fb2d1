import { expect, it } from 'vitest'
import { parseCallbackUrl } from './callback-url.ts'

const page = '/payments/waiting-for-payment'

it.each([`http://localhost:3000${page}`, `http://127.0.0.1:3000${page}`, `http://[::1]:3000${page}`])(
  'takes %s for a portal on this machine',
  (url) => {
    expect(parseCallbackUrl(url, ['http://localhost:3000'])).toBe(url)
  },
)
it('accepts each of several origins', () => {
  const origins = ['https://loans.example', 'https://loans.example.in']
  expect(origins.map((origin) => parseCallbackUrl(origin + page, origins))).toEqual(origins.map((origin) => origin + page))
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
  expect(parseCallbackUrl(url, ['http://localhost:3000'])).toBeNull()
})
it('accepts no name of this machine for a portal on another host', () => {
  expect(parseCallbackUrl(`http://127.0.0.1${page}`, ['https://loans.example'])).toBeNull()
})
it.each([
  [String.raw`http://localhost:3000\@evil.example/..${page}`],
  [String.raw`http:\\localhost:3000${page}`],
  [`http:localhost:3000${page}`],
  [`http:///localhost:3000${page}`],
  [`http://:@localhost:3000${page}`],
  [`http://ⓛocalhost:3000${page}`],
  [`HTTP://LOCALHOST:3000${page}?`],
  [`http://localhost:3000/payments/./x/..${page}/../waiting-for-payment`],
  [`\thttp://localhost:3000${page}\n`],
])('sends %s on in its one normal spelling, or refuses it', (url) => {
  expect([`http://localhost:3000${page}`, null]).toContain(parseCallbackUrl(url, ['http://localhost:3000']))
})
