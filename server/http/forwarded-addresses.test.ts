import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { readForwardedAddresses } from './forwarded-addresses.ts'

it('keeps the entries that trusted proxies can have written, without their ports', async () => {
  const app = fastify({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
  readForwardedAddresses(app)
  app.get('/', (request) => ({ ip: request.ip, header: request.headers['x-forwarded-for'] }))
  const read = async (forwarded: string) => {
    const { ip, header } = (await app.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } })).json<{
      ip: string
      header: string
    }>()
    return { ip, entries: header.split(', ').length }
  }
  expect(await read('203.0.113.5:4711, 10.0.0.1:80')).toEqual({ ip: '203.0.113.5', entries: 2 })
  const forged = '198.51.100.7, '.repeat(1_000)
  expect(await read(`${forged}203.0.113.5:4711, 10.0.0.1`)).toEqual({ ip: '203.0.113.5', entries: 16 })
  const longest = 'x'.repeat(15_000)
  expect(await read(`${longest}, ${longest}, 203.0.113.5`)).toMatchObject({ ip: '203.0.113.5' })
})
