import type { FastifyInstance, HTTPMethods, RawRequestDefaultExpression } from 'fastify'
import { Failure } from './failure.ts'

/**
 * Requests with an unreadable target are routed here, so that every hook and header applies to the
 * answer. The portal has no such address.
 */
const unreadablePath = '/unreadable-address'
export const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The path and query by which a request is routed. Fastify answers an undecodable path itself,
 * without our headers and with the path in the body, so such a target must not reach its router. An
 * absolute target (RFC 9112 §3.2.2) is reduced to its path.
 */
export function readableTarget({ url = '' }: RawRequestDefaultExpression): string {
  const target = url.startsWith('/') ? url : /^https?:\/\/[^/?#]+(\/.*)$/i.exec(url)?.[1]
  if (target === undefined) return unreadablePath
  return !target.includes('%') || isDecodable(pathOf(target)) ? target : unreadablePath
}

/** The part before query and fragment, undecoded. */
export const pathOf = (target: string): string => /^[^?#]*/.exec(target)?.[0] ?? ''

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

export function refuseUnreadableTargets(app: FastifyInstance): void {
  app.route({
    method: [...methods],
    url: unreadablePath,
    onRequest: async () => {
      throw new Failure('InvalidRequest', 'The address is not valid.')
    },
    handler: async () => null,
  })
}

/** Node keeps only the first of these headers; a proxy in front may have read the last. */
const singleHeaders = new Set(['host', 'authorization', 'content-type'])

/** Answers 400 to a request that repeats one of these headers (for Host: RFC 9112 §3.2). */
export function refuseRepeatedHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { rawHeaders } = request.raw
    const seen: string[] = []
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]?.toLowerCase() ?? ''
      if (!singleHeaders.has(name)) continue
      if (seen.includes(name))
        return done(new Failure('InvalidRequest', `The header ${name} must be given once.`, { field: name, closesConnection: true }))
      seen.push(name)
    }
    done()
  })
}
