import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TextMessage } from './sms.ts'

type Sent = { authkey: string | undefined; body: Record<string, unknown> & { sms: { message: string; to: string[] }[] } }

/**
 * A test double of MSG91: accepts messages, refuses one number and wrong keys, and fails on
 * request.
 */
export async function startMsg91(
  authKey: string,
  refusedPhone: string,
): Promise<{
  url: string
  sent: Sent[]
  messages(): TextMessage[]
  misbehave(how: 'html' | 'error 500' | 'redirect' | 'silence' | 'reset' | null): void
  stop(): void
}> {
  const sent: Sent[] = []
  let how: string | null = null
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (how === 'silence') return
      if (how === 'reset') return request.socket.destroy()
      if (how === 'html') return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
      if (how === 'error 500') return response.writeHead(500).end('{}')
      if (how === 'redirect') return response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Sent['body']
      const isRefused =
        request.headers['authkey'] !== authKey || body.sms.some(({ to }) => to.some((phone) => `+91${phone}` === refusedPhone))
      const isOurs = request.method === 'POST' && request.url === '/api/v2/sendsms'
      if (!isRefused && isOurs) sent.push({ authkey: request.headers['authkey'] as string | undefined, body })
      response
        .writeHead(isRefused ? 401 : isOurs ? 200 : 404, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(
            isRefused
              ? { message: `no route to ${refusedPhone}`, type: 'error' }
              : { message: '3763646c3058373530393938', type: 'success' },
          ),
        )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    messages: () =>
      sent.flatMap(({ body }) =>
        body.sms.flatMap(({ message, to }) =>
          to.map((phone) => ({
            to: `+91${phone}`,
            text: message,
            code: /\b[0-9]{6}\b/.exec(message)?.[0] ?? null,
            templateId: String(body['DLT_TE_ID']),
          })),
        ),
      ),
    misbehave: (next) => {
      how = next
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
