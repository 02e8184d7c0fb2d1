import { readdirSync } from 'node:fs'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const assetNames = () => readdirSync(join(import.meta.dirname, '../dist/web/assets')).filter((name) => /\.(js|css)$/.test(name))
/** The worker names its cache after its build. */
const buildName = /(?<=kist-shell-)[0-9a-f]{12}/g

type Deployable = { url: string; deploy: () => void; close: () => Promise<void> }

/**
 * A proxy before a portal that can deploy a new build: the same code under new names, with the old
 * files gone.
 */
export async function startDeployable(portalUrl: string): Promise<Deployable> {
  let isNew = false
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const name = /^\/assets\/(.+)$/.exec(path)?.[1]
    if (isNew && name !== undefined && !name.startsWith('new-')) {
      response.writeHead(404).end()
      return
    }
    const inside = isNew ? path.replace('/assets/new-', '/assets/') : path
    const { 'accept-encoding': _packed, 'if-none-match': _known, 'if-modified-since': _since, ...headers } = request.headers
    request.pipe(
      ask(new URL(inside, portalUrl), { method: request.method, headers }, (answer) => {
        void pass(answer, response, isNew && !path.startsWith('/api/'))
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    deploy: () => {
      isNew = true
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function pass(answer: IncomingMessage, response: ServerResponse, renamed: boolean): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
  let body = Buffer.concat(chunks)
  if (renamed && /html|javascript/.test(String(answer.headers['content-type']))) body = Buffer.from(rename(body.toString()))
  const { 'content-length': _length, 'transfer-encoding': _framing, etag: _etag, ...headers } = answer.headers
  response.writeHead(answer.statusCode ?? 500, { ...headers, 'content-length': body.length }).end(body)
}

const rename = (text: string): string =>
  assetNames()
    .reduce((renamed, name) => renamed.replaceAll(name, `new-${name}`), text)
    .replace(buildName, 'new')
