import type { FastifyInstance } from 'fastify'
import { isIP } from 'node:net'

/** Longer X-Forwarded-For entries are not addresses. They are cut, but stay distinct. */
const entryLengthMax = 100

/**
 * Removes the port from X-Forwarded-For entries (`203.0.113.5:4711`, `[2001:db8::1]:4711`), which
 * some load balancers write. Must be the first hook, because `request.ip` reads the header.
 */
export function readForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const forwarded = headers['x-forwarded-for']
    if (forwarded !== undefined) headers['x-forwarded-for'] = String(forwarded).split(',').map(withoutPort).join(', ')
    done()
  })
}

/** Removes brackets and port from an entry. An entry that is not an address is kept as a name. */
export function withoutPort(entry: string): string {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::[0-9]{1,5})?$|^([0-9.]+):[0-9]{1,5}$/.exec(text) ?? []
  const address = bracketed ?? dotted
  if (address !== undefined && isIP(address) !== 0) return address
  return text.slice(0, entryLengthMax).replaceAll(/\s/g, '_') || 'unknown'
}
