import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'

let app: App

beforeAll(async () => {
  buildWebWhenStale()
  app = await startApp(inject('cluster'), {
    settings: {
      KIST_BRAND: '</title><script>alert(1)</script>',
      KIST_LENDER: '<b>&',
      KIST_TELEMETRY: 'true',
      KIST_TELEMETRY_URL: 'https://t.example/collect',
    },
  })
}, 120_000)
afterAll(() => app.close())

type Raw = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** Does not use fetch, which decompresses automatically. */
function requestRaw(path: string, headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    request(app.url + path, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }))
    })
      .on('error', reject)
      .end()
  })
}

const assets = () => readdirSync(join(import.meta.dirname, '../../dist/web/assets'))

test.each(['/login', '/verify-document', '/active-loans'])(
  '%s is sent in the browser’s best encoding, and again only after a change',
  async (path) => {
    const plain = await requestRaw(path)
    const gzip = await requestRaw(path, { 'accept-encoding': 'gzip, br;q=0' })
    const br = await requestRaw(path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect([plain, gzip, br].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br'])
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
    expect(new Set([plain, gzip, br].map(({ headers }) => headers['etag'])).size).toBe(3)
    for (const { headers } of [plain, gzip, br]) expect(headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'accept-encoding' })
    const again = await requestRaw(path, { 'accept-encoding': 'br', 'if-none-match': String(br.headers['etag']) })
    expect([again.status, again.body.length]).toEqual([304, 0])
  },
)

test('the login page contains the login in both languages and the lender’s name as escaped text', async () => {
  const html = (await requestRaw('/login')).body.toString()
  expect(html).toContain('Sign in to your loan')
  expect(html).toContain('अपने लोन में लॉग इन करें')
  expect(html).not.toContain('<script>alert')
  expect(html).not.toContain('<b>&')
  expect(html).not.toMatch(/%KIST_/)
})

test.each(['/login', '/verify-document', '/active-loans'])(
  '%s allows its inline code by hash, and only telemetry as another origin',
  async (path) => {
    const { headers, body } = await requestRaw(path)
    const policy = String(headers['content-security-policy'])
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("connect-src 'self' https://t.example;")
    const inline = [...body.toString().matchAll(/<(script|style)>([^]*?)<\/\1>/g)]
    expect(inline.length).toBeGreaterThan(0)
    for (const [, , text = ''] of inline) expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  },
)

test('assets are sent compressed, immutable, and by the accepted encoding', async () => {
  const name = assets().find((file) => /^login-.*\.js$/.test(file)) ?? ''
  const [plain, br] = [await requestRaw(`/assets/${name}`), await requestRaw(`/assets/${name}`, { 'accept-encoding': 'br' })]
  expect([plain.headers['content-encoding'], br.headers['content-encoding']]).toEqual([undefined, 'br'])
  expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
  expect(plain.headers['etag']).not.toBe(br.headers['etag'])
  for (const { headers } of [plain, br]) {
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(String(headers['vary']).toLowerCase()).toContain('accept-encoding')
    expect(headers['content-type']).toMatch(/\/javascript; charset=utf-8$/)
  }
})

test('the page that verifies a document is there in both languages, and for no search engine', async () => {
  const { headers, body } = await requestRaw('/verify-document?code=x')
  expect(headers['x-robots-tag']).toBe('noindex')
  expect(body.toString()).toContain('Check a document')
  expect(body.toString()).toContain('दस्तावेज़ की जाँच करें')
  expect((await requestRaw('/login')).headers['x-robots-tag']).toBeUndefined()
})

test.each(['/login.html', '/verify.html', '/index.html', '/assets/nothing-here.js'])('%s is not there', async (path) => {
  expect((await requestRaw(path)).status).toBe(404)
})
