import type { FastifyInstance } from 'fastify'
import { isIP } from 'node:net'

/**
 * Only the right end of X-Forwarded-For is written by trusted proxies, and no chain of them is
 * longer. The rest, up to 15 kB from anybody, would be parsed again at each `request.ip`.
 */
const entriesMax = 16
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
    if (forwarded !== undefined) headers['x-forwarded-for'] = readEntries(String(forwarded)).join(', ')
    done()
  })
}

/** The last {@link entriesMax} entries, from as much text as they can have. */
const readEntries = (forwarded: string): string[] =>
  forwarded
    .slice(-entriesMax * entryLengthMax)
    .split(',')
    .slice(-entriesMax)
    .map(withoutPort)

/** Removes brackets and port from an entry. An entry that is not an address is kept as a name. */
export function withoutPort(entry: string): string {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::[0-9]{1,5})?$|^([0-9.]+):[0-9]{1,5}$/.exec(text) ?? []
  const address = bracketed ?? dotted
  if (address !== undefined && isIP(address) !== 0) return address
  return text.slice(0, entryLengthMax).replaceAll(/\s/g, '_') || 'unknown'
}
