import type { FastifyInstance } from 'fastify'
import { isIP } from 'node:net'

/** A longer entry of X-Forwarded-For is no address of anybody; what is kept of it still tells it from others. */
const entryLengthMax = 100

/**
 * Reads X-Forwarded-For entries that carry a port (`203.0.113.5:4711`, `[2001:db8::1]:4711`), as some balancers write them: the address
 * without its port replaces the entry before anything asks for `request.ip`. Must be the first hook of the server.
 */
export function readForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const forwarded = headers['x-forwarded-for']
    if (forwarded !== undefined) headers['x-forwarded-for'] = String(forwarded).split(',').map(withoutPort).join(', ')
    done()
  })
}

/** An entry as an address without brackets and port. What cannot be read as an address stays as it is: an entry of that name. */
export function withoutPort(entry: string): string {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::[0-9]{1,5})?$|^([0-9.]+):[0-9]{1,5}$/.exec(text) ?? []
  const address = bracketed ?? dotted
  if (address !== undefined && isIP(address) !== 0) return address
  return text.slice(0, entryLengthMax).replaceAll(/\s/g, '_') || 'unknown'
}
