import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { logout } from '#contract/auth.ts'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Config } from '../config/config.ts'

/** Nothing that a loan portal needs of a browser is among it, and only what browsers know: they complain of other names on every page. */
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

/** What is not a page of ours has no business in a browser's window at all. */
export const apiContentPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** What stands in a page itself and may run or count there, as the sources of a policy: `'sha256-…'`. */
export type Inline = { scripts: readonly string[]; styles: readonly string[] }

/** The policy of a page of ours: nothing but our own files, no frames, no text that becomes code. */
export function pageContentPolicy({ portal }: Config, inline: Inline = { scripts: [], styles: [] }): string {
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
    // One policy, which names the service worker and nothing else (web/shell-cache.ts).
    'trusted-types': ['kist-service-worker'],
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join(';')
}

/** The browser's rules for whatever we answer: beside the policy of what a page may load, no referrer and no guessing of types. */
export async function addSecurityHeaders(app: FastifyInstance, config: Config): Promise<void> {
  const overTls = config.origins.every((origin) => origin.startsWith('https://'))
  const pagePolicy = pageContentPolicy(config)
  await app.register(helmet, {
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: overTls ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    xFrameOptions: { action: 'deny' },
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('permissions-policy', permissionsPolicy)
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', isApi(request) ? apiContentPolicy : pagePolicy)
    if (isFinishedLogout(request, reply)) reply.header('clear-site-data', '"cache"')
    done(null, payload)
  })
}

/** The browsable documentation under /api/docs is a page, and brings a policy of its own. */
const isApi = ({ url }: FastifyRequest) => url.startsWith(`${apiPrefix}/`)

/** Of what else a browser keeps, the app clears what belongs to the session itself; its language is the reader's and stays. */
const isFinishedLogout = ({ method, routeOptions }: FastifyRequest, { statusCode }: FastifyReply) =>
  statusCode === 200 && method === logout.method && routeOptions.url === apiPrefix + logout.path
