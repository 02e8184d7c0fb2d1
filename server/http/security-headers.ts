import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { logout } from '#contract/auth.ts'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Config } from '../config/config.ts'

/**
 * Browser features that the portal disables. The list has no feature that a browser does not know,
 * because browsers warn about unknown names.
 */
const permissionsPolicy = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** The content security policy of API responses: a browser must not render them. */
export const apiContentPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** The inline scripts and styles that a page may use, as CSP sources: `'sha256-…'`. */
type InlineSources = { scripts: readonly string[]; styles: readonly string[] }

/**
 * The content security policy of our pages: only our own files, no frames, and no code made from
 * strings.
 */
export function pageContentPolicy({ portal }: Config, inline: InlineSources = { scripts: [], styles: [] }): string {
  const { enabled, url } = portal.telemetry
  const directives: Record<string, readonly string[]> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...inline.scripts],
    'style-src': ["'self'", ...inline.styles],
    'img-src': ["'self'", 'data:', 'blob:'],
    'connect-src': ["'self'", ...(enabled === 'true' && url !== '' ? [new URL(url).origin] : [])],
    'manifest-src': ["'self'"],
    'worker-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    // The only Trusted Types policy. It allows the service worker's URL (web/entry/shell-cache.ts).
    'trusted-types': ['kist-service-worker'],
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join(';')
}

/**
 * Adds the security headers to every response: CSP, no referrer, no MIME sniffing. Added before the
 * hooks that refuse requests, so that refusals have them too.
 */
export function addSecurityHeaders(app: FastifyInstance, config: Config): void {
  const pagePolicy = pageContentPolicy(config)
  const fixed = fixedHeaders(config)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(fixed)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('permissions-policy', permissionsPolicy)
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', isApiCall(request) ? apiContentPolicy : pagePolicy)
    if (isSuccessfulLogout(request, reply)) reply.header('clear-site-data', '"cache"')
    done(null, payload)
  })
}

/** The headers of every answer. */
function fixedHeaders({ origins }: Config): Record<string, string> {
  const isHttpsOnly = origins.every((origin) => origin.startsWith('https://'))
  return computeHeaders({
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: isHttpsOnly ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    xFrameOptions: { action: 'deny' },
  })
}

/** All security headers of an API answer, for one that is sent without Fastify. */
export const apiHeaders = (config: Config): Record<string, string> => ({
  ...fixedHeaders(config),
  'permissions-policy': permissionsPolicy,
  'content-security-policy': apiContentPolicy,
})

/**
 * The headers that helmet sets, which are the same for every answer. Setting them on each answer by
 * helmet itself took a tenth of the time of a small read.
 */
function computeHeaders(options: HelmetOptions): Record<string, string> {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  helmet(options)(request, response, (error) => {
    if (error) throw error
  })
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]))
}

/** The documentation is not an API call: /api/docs is a page with its own policy. */
const isApiCall = ({ url }: FastifyRequest) => url.startsWith(`${apiPrefix}/`)

/**
 * The header of a logout clears only the cache: the web client deletes the session's data itself,
 * and keeps the chosen language.
 */
const isSuccessfulLogout = ({ method, routeOptions }: FastifyRequest, { statusCode }: FastifyReply) =>
  statusCode === 200 && method === logout.method && routeOptions.url === apiPrefix + logout.path
