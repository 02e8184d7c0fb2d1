import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span in OTLP's JSON. */
type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; doubleValue?: number } }[]
  status: { code: number }
}

export type Collector = { url: string; spans: ReceivedSpan[]; close(): Promise<void> }

/** An OTLP collector that stores the received spans. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] }
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    })
  })
  // An idle connection may not be closed at the moment in which it is used again.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The value of a span's attribute. */
export function attributeOf(span: ReceivedSpan | undefined, key: string): string | number | undefined {
  const value = span?.attributes.find((one) => one.key === key)?.value
  return value?.stringValue ?? value?.doubleValue
}
