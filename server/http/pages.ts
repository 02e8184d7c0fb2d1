import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PortalConfig } from '#contract/portal-config.ts'
import type { Config } from '../config/config.ts'
import { notFound } from './failure.ts'
import { pageContentPolicy } from './security-headers.ts'

type Encoding = 'br' | 'gzip' | 'identity'
type Page = { changedAtMs: number; bodies: Record<Encoding, Buffer>; hash: string; policy: string }

/**
 * Sends the built pages. What depends on the lender's settings is filled in once, when a page is first asked for after it was built:
 * the settings themselves, and in the login's page the login, drawn in both languages.
 */
export function pages(directory: string, config: Config): (name: string, request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const made = new Map<string, Promise<Page>>()

  async function pageOf(name: string): Promise<Page> {
    const path = join(directory, name)
    const changedAtMs = await changeOf(path)
    const known = await made.get(name)
    if (known?.changedAtMs === changedAtMs) return known
    const page = makePage(path, changedAtMs, config)
    made.set(name, page)
    return page
  }

  return async (name, request, reply) => {
    const { bodies, hash, policy } = await pageOf(name)
    const encoding = encodingFor(request.headers['accept-encoding'])
    const etag = `"${hash}-${encoding}"`
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag, 'content-security-policy': policy })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type('text/html; charset=utf-8').send(bodies[encoding])
  }
}

async function changeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notFound()
    throw error
  }
}

async function makePage(path: string, changedAtMs: number, config: Config): Promise<Page> {
  const html = await drawLoginInto(fillIn(await readFile(path, 'utf8'), config), config, changedAtMs)
  const identity = Buffer.from(html)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } }),
    promisify(gzip)(identity, { level: 9 }),
  ])
  return {
    changedAtMs,
    bodies: { br, gzip: gz, identity },
    hash: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
    policy: pageContentPolicy(config, { scripts: hashesOf(html, 'script'), styles: hashesOf(html, 'style') }),
  }
}

const drawing = pathToFileURL(join(import.meta.dirname, '../../dist/drawing/prerender.js')).href
type Drawing = { drawLogin: (language: Language, settings: PortalConfig) => Promise<string> }
type Language = PortalConfig['default_language']

/** The login in the lender's default language, and in the other one beside it: the page turns to the reader's before it is seen. */
async function drawLoginInto(html: string, { portal }: Config, changedAtMs: number): Promise<string> {
  const place = '<div id="login"></div>'
  if (!html.includes(place)) return html
  const { drawLogin } = (await import(`${drawing}?${changedAtMs}`)) as Drawing
  const language = portal.default_language
  const other = language === 'en' ? 'hi' : 'en'
  const shown = await drawLogin(language, portal)
  const beside = await drawLogin(other, portal)
  return html
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(place, () => `<div id="root">${shown}</div>\n    <template lang="${other}">${beside}</template>`)
}

/** The names of the blanks are the pages' own (`web/*.html`). */
function fillIn(html: string, { portal, brandStyle, brandSpine }: Config): string {
  return html
    .replace('</head>', () => `${brandStyle && `<style>${brandStyle}</style>`}</head>`)
    .replaceAll('%KIST_SPINE%', brandSpine)
    .replaceAll('%KIST_BRAND%', () => escapeHtml(portal.brand.name))
    .replaceAll('%KIST_CONFIG%', () => JSON.stringify(portal).replaceAll('<', '\\u003c'))
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

/** Of the elements that hold code or styles themselves; what only names a file is allowed as ours anyway. */
const hashesOf = (html: string, element: 'script' | 'style'): string[] =>
  [...html.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'))].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )

/** The best of what a browser takes; `br;q=0` takes none. */
function encodingFor(accepted: string | undefined): Encoding {
  const taken = new Set(
    (accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((item) => item.split(';').map((part) => part.trim()))
      .filter(([, quality = '']) => !/^q=0(\.0*)?$/.test(quality))
      .map(([name]) => name),
  )
  return taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : 'identity'
}
