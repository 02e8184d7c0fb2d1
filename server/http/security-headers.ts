import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { logout } from '#contract/auth.ts'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Config } from '../config.ts'

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
const apiContentPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** The browser's rules for whatever we answer: nothing but our own files, no frames, no referrer, no text that becomes code. */
export async function addSecurityHeaders(app: FastifyInstance, config: Config): Promise<void> {
  const overTls = config.origins.every((origin) => origin.startsWith('https://'))
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:', 'blob:'],
        'connect-src': ["'self'"],
        'manifest-src': ["'self'"],
        'worker-src': ["'self'"],
        'frame-src': ['blob:'],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        'object-src': ["'none'"],
        'frame-ancestors': ["'none'"],
        'require-trusted-types-for': ["'script'"],
        'trusted-types': ["'none'"],
      },
    },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: overTls ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    xFrameOptions: { action: 'deny' },
  })
  app.addHook('onSend', async (request, reply) => {
    reply.header('permissions-policy', permissionsPolicy)
    if (isApi(request) && !reply.hasHeader('content-security-policy')) reply.header('content-security-policy', apiContentPolicy)
    if (isFinishedLogout(request, reply)) reply.header('clear-site-data', '"cache"')
  })
}

/** The browsable documentation under /api/docs is a page, and brings a policy of its own. */
const isApi = ({ url }: FastifyRequest) => url.startsWith(`${apiPrefix}/`)

/** Of what else a browser keeps, the app clears what belongs to the session itself; its language is the reader's and stays. */
const isFinishedLogout = ({ method, routeOptions }: FastifyRequest, { statusCode }: FastifyReply) =>
  statusCode === 200 && method === logout.method && routeOptions.url === apiPrefix + logout.path
