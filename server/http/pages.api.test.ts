import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { makeBrandFolder } from '#testkit/brand-folder.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { buildWebWhenStale } from '#tools/web-build.ts'

let app: App

beforeAll(async () => {
  buildWebWhenStale()
  app = await startApp(inject('cluster'), {
    settings: {
      KIST_BRAND_DIR: makeBrandFolder({ name: '</title><script>alert(1)</script>', lender: '<b>&' }),
      KIST_TELEMETRY: 'true',
      KIST_TELEMETRY_URL: 'https://t.example/collect',
    },
  })
})
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

const webAssets = join(import.meta.dirname, '../../dist/web/assets')
const assets = () => readdirSync(webAssets)
const unescapeHtml = (text: string) => text.replaceAll('&gt;', '>').replaceAll('&amp;', '&')

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

const drawnPaths = [
  '/',
  '/active-loans',
  '/active-loans/loan-details',
  '/active-loans/payments',
  '/active-loans/documents',
  '/user-profile',
  '/faqs',
  '/customer-support',
  '/ongoing-application',
  '/users',
  '/payments/waiting-for-payment',
]

test.each(drawnPaths)('%s is drawn in both languages, the same for everybody, and styled by itself', async (path) => {
  const html = (await requestRaw(path)).body.toString()
  const [, drawn = '', other = ''] =
    /<div id="root" data-page="[a-z-]+">([^]*)<\/div>\s*<template lang="hi">([^]*?)<\/template>/.exec(html) ?? []
  expect(drawn).toMatch(/<h1[ >]/)
  expect(other).toMatch(/<h1[ >][^]*[\u0900-\u097f]/)
  // The lender's name is text, and the policy allows no styles of elements.
  expect(drawn + other).not.toMatch(/<b>&|<script| style=/)
  const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? ''
  const portalStyle = readFileSync(join(webAssets, assets().find((name) => /^portal-.*\.css$/.test(name)) ?? ''), 'utf8')
  const classes = new Set([...(drawn + other).matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ').map(unescapeHtml)))
  const selectorOf = (name: string) => `.${name.replaceAll(/[^\w-]/g, (sign) => `\\${sign}`)}`
  const missing = [...classes].filter((name) => portalStyle.includes(selectorOf(name)) && !style.includes(selectorOf(name)))
  expect(missing).toEqual([])
  // Whoever asks: the page is made of settings alone.
  const signedIn = await requestRaw(path, { authorization: 'Bearer x', cookie: 'device=x', 'accept-language': 'hi' })
  expect(signedIn.body.toString()).toBe(html)
})

test.each(['/admin/login', '/active-loans/nothing', '/nothing-here'])('%s is not drawn', async (path) => {
  expect((await requestRaw(path)).body.toString()).toContain('<div id="root"></div>')
})

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

test('an address that looks like a file and is none shows the not-found page to a person, and no page to a script', async () => {
  for (const path of ['/index.php', '/faqs.html', '/active-loans/a.bc', '/..%2fpackage.json']) {
    const page = await requestRaw(path, { accept: 'text/html,application/xhtml+xml' })
    expect([path, page.status, String(page.headers['content-type'])]).toEqual([path, 200, expect.stringContaining('text/html')])
    const script = await requestRaw(path, { accept: '*/*' })
    expect([path, script.status, String(script.headers['content-type'])]).toEqual([path, 404, expect.stringContaining('json')])
  }
})
