import type { FastifyInstance, HTTPMethods, RawRequestDefaultExpression } from 'fastify'
import { Failure } from './failure.ts'

/** No address of the portal. Requests whose target cannot be read are routed here, so that every hook and header applies to the answer. */
const unreadablePath = '/unreadable-address'
const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The path and query by which a request is routed. Fastify answers a path that it cannot decode by itself, without our headers and with
 * the path in the body; therefore such a target never reaches its router. An absolute target (RFC 9112 §3.2.2) is reduced to its path.
 */
export function readableTarget({ url = '' }: RawRequestDefaultExpression): string {
  const target = url.startsWith('/') ? url : /^https?:\/\/[^/?#]+(\/.*)$/i.exec(url)?.[1]
  if (target === undefined) return unreadablePath
  return !target.includes('%') || isDecodable(pathOf(target)) ? target : unreadablePath
}

/** The part before query and fragment, as it was sent. */
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

/** Node keeps the first of these and drops the others without a word, where a proxy in front may have read the last. */
const singleHeaders = new Set(['host', 'authorization', 'content-type'])

/** Answers 400 to a request that gives one of the headers above twice (for Host: RFC 9112 §3.2). */
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
