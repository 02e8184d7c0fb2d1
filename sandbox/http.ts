import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** Larger than any call of the provider's API. */
const bodyBytesMax = 256 * 1024

/** A request, read to its end. */
export type HttpRequest = {
  readonly method: string
  /** Path without the trailing slash the provider also accepts. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answer, or a fault: `hold` never answers, `reset` cuts the connection. */
export type Reply =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | { readonly kind: 'hold' }
  | { readonly kind: 'reset' }

export type Answer = Extract<Reply, { kind: 'answer' }>

/** Thrown by {@link readRequest} when the body is larger than 256 KiB. */
export class BodyTooLarge extends Error {}

export async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const target = incoming.url ?? '/'
  // The first slashes belong to the path: `//host` must not read as another host.
  const url = new URL(`http://sandbox/${target.replace(/^\/+/, '')}`)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyBytesMax) throw new BodyTooLarge()
    chunks.push(chunk)
  }
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname.length > 1 ? url.pathname.replace(/\/+$/, '') : url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

export function json(status: number, value: unknown): Answer {
  const headers = { 'content-type': 'application/json' }
  return { kind: 'answer', status, headers, body: JSON.stringify(value) }
}

/** A redirect that turns a POST into a GET. */
export function seeOther(location: string): Answer {
  return { kind: 'answer', status: 303, headers: { location }, body: '' }
}

export function send(reply: Reply, outgoing: ServerResponse): void {
  if (reply.kind === 'hold') return
  if (reply.kind === 'reset') {
    // The client sees ECONNRESET, as when a machine fails.
    outgoing.socket?.resetAndDestroy()
    return
  }
  outgoing.writeHead(reply.status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...reply.headers,
    'content-length': Buffer.byteLength(reply.body),
  })
  outgoing.end(reply.body)
}
