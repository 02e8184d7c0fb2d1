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
type Page = { modifiedAtMs: number; bodies: Record<Encoding, Buffer>; hash: string; policy: string }

/**
 * Sends the built pages. On the first request after a build it fills in the lender's settings and,
 * in the pages that have an element for it, prerenders the page in both languages.
 */
export function pages(directory: string, config: Config): (name: string, request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const cached = new Map<string, Promise<Page>>()

  async function readPage(name: string): Promise<Page> {
    const path = join(directory, name)
    const modifiedAtMs = await readModifiedAtMs(path)
    const known = await cached.get(name)
    if (known?.modifiedAtMs === modifiedAtMs) return known
    const page = buildPage(path, modifiedAtMs, config)
    cached.set(name, page)
    return page
  }

  return async (name, request, reply) => {
    const { bodies, hash, policy } = await readPage(name)
    const encoding = encodingFor(request.headers['accept-encoding'])
    const etag = `"${hash}-${encoding}"`
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag, 'content-security-policy': policy })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type('text/html; charset=utf-8').send(bodies[encoding])
  }
}

async function readModifiedAtMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notFound()
    throw error
  }
}

async function buildPage(path: string, modifiedAtMs: number, config: Config): Promise<Page> {
  const html = await prerender(fillPlaceholders(await readFile(path, 'utf8'), config), config, modifiedAtMs)
  const identity = Buffer.from(html)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } }),
    promisify(gzip)(identity, { level: 9 }),
  ])
  return {
    modifiedAtMs,
    bodies: { br, gzip: gz, identity },
    hash: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
    policy: pageContentPolicy(config, { scripts: hashInlineElements(html, 'script'), styles: hashInlineElements(html, 'style') }),
  }
}

const prerenderModule = pathToFileURL(join(import.meta.dirname, '../../dist/drawing/prerender.js')).href
type PrerenderModule = { drawPage: (name: string, language: Language, settings: PortalConfig) => Promise<string> }
type Language = PortalConfig['default_language']

/**
 * Prerenders the login or the verification in the lender's default language, and in the other one
 * as a template. The page switches to the reader's language before the first paint.
 */
async function prerender(html: string, { portal }: Config, modifiedAtMs: number): Promise<string> {
  const [placeholder, name] = /<div id="(login|verify)"><\/div>/.exec(html) ?? []
  if (placeholder === undefined || name === undefined) return html
  const { drawPage } = (await import(`${prerenderModule}?${modifiedAtMs}`)) as PrerenderModule
  const language = portal.default_language
  const other = language === 'en' ? 'hi' : 'en'
  const rendered = await drawPage(name, language, portal)
  const alternative = await drawPage(name, other, portal)
  return html
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(placeholder, () => `<div id="root">${rendered}</div>\n    <template lang="${other}">${alternative}</template>`)
}

/** Fills the placeholders of `web/*.html`. */
function fillPlaceholders(html: string, { portal, brandStyle, brandSpine }: Config): string {
  return html
    .replace('</head>', () => `${brandStyle && `<style>${brandStyle}</style>`}</head>`)
    .replaceAll('%KIST_SPINE%', brandSpine)
    .replaceAll('%KIST_BRAND%', () => escapeHtml(portal.brand.name))
    .replaceAll('%KIST_CONFIG%', () => JSON.stringify(portal).replaceAll('<', '\\u003c'))
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

/** Hashes inline scripts and styles. Elements that only name a file are allowed by 'self'. */
const hashInlineElements = (html: string, element: 'script' | 'style'): string[] =>
  [...html.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'))].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )

/** The best encoding that a browser accepts; `br;q=0` refuses brotli. */
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
