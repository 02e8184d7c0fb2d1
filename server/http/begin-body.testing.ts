import { connect, type Socket } from 'node:net'
import { until } from '#testkit/until.ts'

/** A request without the end of its body, and what the server has answered. */
type BegunBody = { socket: Socket; answer(): string }

/** Sends the headers of a POST and the first byte of its body. The server has read the headers. */
export async function beginBody(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<BegunBody> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes) => (answer += String(bytes))).on('error', () => {})
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  // The server answers 100 when it has accepted the request.
  const expect = 'expect: 100-continue\r\n'
  socket.write(`POST /api/v1${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}${expect}content-length: 100\r\n\r\n{`)
  await until(() => answer.startsWith('HTTP/1.1 100 Continue'))
  return { socket, answer: () => answer }
}
