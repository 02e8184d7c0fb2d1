import type { FastifyInstance } from 'fastify'
import { dayMs } from '#domain/durations.ts'
import type { Context } from '../context.ts'

const validDays = 180

/** Serves the contact for security reports (RFC 9116). */
export function serveSecurityTxt(app: FastifyInstance, { clock, config }: Context): void {
  app.get('/.well-known/security.txt', (_request, reply) => {
    const expires = new Date(clock.now().getTime() + validDays * dayMs)
    expires.setUTCHours(0, 0, 0, 0)
    const [origin = ''] = config.origins
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(
        [
          `Contact: ${config.http.securityContact}`,
          `Expires: ${expires.toISOString()}`,
          'Preferred-Languages: en, hi',
          `Canonical: ${origin}/.well-known/security.txt`,
          '',
        ].join('\n'),
      )
  })
}
