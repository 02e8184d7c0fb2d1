import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiPrefix } from '#contract/endpoint.ts'
import { siteOf } from './site.ts'

/** The cookie by which sign-in knows a browser (server/auth/device-cookie.ts). It authorises nothing. */
export type DeviceCookie = {
  /** As the browser sent it; null without one. */
  readonly value: string | null
  /** Has the answer set it. */
  set(value: string): void
}

const name = 'kist_device'
const maxAgeSeconds = 180 * 86_400

/** The device cookie of a request. It goes to the calls of signing in alone, no script reads it, and no other site's request carries it. */
export function deviceCookieOf(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): DeviceCookie {
  return {
    get value() {
      return /(?:^|;) *kist_device=([\w.-]*)(?:;|$)/.exec(request.headers.cookie ?? '')?.[1] ?? null
    },
    set: (value) => {
      const isSecure = siteOf(origins, request.headers.host).startsWith('https:')
      const attributes = [
        `Path=${apiPrefix}/auth`,
        `Max-Age=${maxAgeSeconds}`,
        'HttpOnly',
        'SameSite=Strict',
        ...(isSecure ? ['Secure'] : []),
      ]
      reply.header('set-cookie', [`${name}=${value}`, ...attributes].join('; '))
    },
  }
}
