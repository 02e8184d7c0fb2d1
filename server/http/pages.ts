import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PortalConfig } from '#contract/portal-config.ts'
import { verificationPath } from '#contract/verification-path.ts'
import { isMissing } from '../config/is-missing.ts'
import type { Config } from '../config/config.ts'
import { encodingFor, type Encoding } from './encodings.ts'
import { notFound } from './failure.ts'
import { pageContentPolicy } from './security-headers.ts'

type Page = { modifiedAtMs: number; bodies: Record<Encoding, Buffer>; hash: string; policy: string }

/**
 * Sends the built pages. On the first request after a build it fills in the lender's settings and
 * prerenders in both languages what the address shows at first.
 */
export function pages(
  directory: string,
  config: Config,
): (pathname: string, request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const cached = new Map<string, Promise<Page>>()

  async function readPage(pathname: string): Promise<Page> {
    const file = join(directory, `${publicPages[pathname] ?? 'index'}.html`)
    const modifiedAtMs = await readModifiedAtMs(file)
    const prerenderer = (await import(`${prerenderModule}?${modifiedAtMs}`)) as Prerenderer
    const name = publicPages[pathname] ?? prerenderer.findDrawnPage(pathname)
    const key = name ?? 'undrawn'
    const known = await cached.get(key)
    if (known?.modifiedAtMs === modifiedAtMs) return known
    const page = buildPage(file, modifiedAtMs, config, name === null ? null : { name, prerenderer })
    cached.set(key, page)
    // The next request tries again.
    page.catch(() => void cached.delete(key))
    return page
  }

  return async (pathname, request, reply) => {
    const { bodies, hash, policy } = await readPage(pathname)
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
    if (isMissing(error)) throw notFound()
    throw error
  }
}

async function buildPage(file: string, modifiedAtMs: number, config: Config, drawing: Drawing | null): Promise<Page> {
  const filled = fillPlaceholders(await readFile(file, 'utf8'), config)
  const html = drawing === null ? filled : await prerender(filled, config, drawing)
  const identity = Buffer.from(html)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } }),
    promisify(gzip)(identity, { level: 9 }),
  ])
  return {
    modifiedAtMs,
    bodies: { br, gzip: gz, identity },
    hash: hash('sha256', identity, 'base64url').slice(0, 22),
    policy: pageContentPolicy(config, { scripts: hashInlineElements(html, 'script'), styles: hashInlineElements(html, 'style') }),
  }
}

/** Every other address has the portal's page. */
const publicPages: Readonly<Record<string, string>> = { '/login': 'login', [verificationPath]: 'verify' }

const prerenderModule = pathToFileURL(join(import.meta.dirname, '../../dist/drawing/prerender.js')).href
/** The bundle that the build makes of web/entry/prerender.tsx. */
type Prerenderer = {
  /** The page that is drawn at an address for signed-in people; null if there is none. */
  findDrawnPage: (pathname: string) => string | null
  drawPage: (name: string, language: Language, settings: PortalConfig) => Promise<string>
}
type Drawing = { name: string; prerenderer: Prerenderer }
type Language = PortalConfig['default_language']

const rootPlaceholder = '<div id="root"></div>'

/**
 * Prerenders a page in the lender's default language, and in the other one as a template. The page
 * switches to the reader's language before it shows either: a public page is hidden until its last
 * script, the portal's by its first. Nothing in it depends on a session.
 */
async function prerender(html: string, { portal }: Config, { name, prerenderer }: Drawing): Promise<string> {
  const language = portal.default_language
  const other = language === 'en' ? 'hi' : 'en'
  const rendered = await prerenderer.drawPage(name, language, portal)
  const alternative = await prerenderer.drawPage(name, other, portal)
  const hidden = Object.values(publicPages).includes(name) ? ' hidden' : ''
  return html.replace(
    rootPlaceholder,
    () => `<div id="root" data-page="${name}"${hidden}>${rendered}</div>\n    <template lang="${other}">${alternative}</template>`,
  )
}

/** Fills the placeholders of `web/*.html`. */
function fillPlaceholders(html: string, { portal, brandStyle, brandSpine }: Config): string {
  const { default_language: language, detect_language: detects } = portal
  return html
    .replace('<html lang="en">', `<html lang="${language}"${detects ? '' : ' data-fixed-language'}>`)
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
    ([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`,
  )
