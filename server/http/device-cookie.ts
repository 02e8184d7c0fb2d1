import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiPrefix } from '#contract/endpoint.ts'
import { daySeconds } from '#domain/durations.ts'
import { findSite } from './site.ts'

/**
 * The cookie by which sign-in recognises a browser (server/auth/device-cookie.ts). It authorises
 * nothing.
 */
export type DeviceCookie = {
  /** The value that the browser sent; null without a cookie. */
  readonly value: string | null
  /** Sets the cookie in the answer. */
  set(value: string): void
}

const name = 'kist_device'
const maxAgeSeconds = 180 * daySeconds

/**
 * The device cookie of a request. The browser sends it only to the sign-in calls, hides it from
 * scripts, and omits it from cross-site requests.
 */
export function createDeviceCookie(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): DeviceCookie {
  return {
    get value() {
      return /(?:^|;) *kist_device=([\w.-]*)(?:;|$)/.exec(request.headers.cookie ?? '')?.[1] ?? null
    },
    set: (value) => {
      const isSecure = findSite(origins, request.headers.host).startsWith('https:')
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
