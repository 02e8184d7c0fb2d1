import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** One batch as the browser sent it. */
type Batch = {
  meta: { app?: { name?: string; version?: string }; user?: Record<string, string>; session?: { id?: string }; page?: { url?: string } }
  traces?: { resourceSpans?: unknown[] }
  events?: unknown[]
  measurements?: unknown[]
}
export type Collector = { url: string; batches: Batch[]; texts: string[]; close: () => Promise<void> }

/** A telemetry collector that stores what it receives. */
export async function startCollector(): Promise<Collector> {
  const batches: Batch[] = []
  const texts: string[] = []
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end()
      return
    }
    void bodyOf(request).then((text) => {
      texts.push(text)
      batches.push(JSON.parse(text) as Batch)
      response.writeHead(202).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/collect`,
    batches,
    texts,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
}
