import { createReadStream } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { ScanOutcome, VirusScanner } from './virus-scanner.ts'

const timeoutMs = 60_000
const answerBytesMax = 4_096

/**
 * Scans with ClamAV's daemon by its INSTREAM command: length and bytes of each chunk, then a length
 * of 0; the daemon answers one line.
 *
 * @param address `host:port`, or the path of a socket.
 */
export function clamdScanner(address: string): VirusScanner {
  return {
    scan: (path) =>
      scanStream(address, path).catch((error: unknown): ScanOutcome => ({ kind: 'unknown', reason: (error as Error).message })),
  }
}

async function scanStream(address: string, path: string): Promise<ScanOutcome> {
  const socket = open(address)
  try {
    const answered = readAnswer(socket)
    answered.catch(() => {})
    // The daemon may close the connection before all bytes are sent; its answer explains why.
    await Promise.race([sendFile(socket, path), answered])
    return parseOutcome(await answered)
  } finally {
    socket.destroy()
  }
}

function open(address: string): Socket {
  const colon = address.lastIndexOf(':')
  const socket = address.startsWith('/') ? connect(address) : connect(Number(address.slice(colon + 1)), address.slice(0, colon))
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('the scanner did not answer in time')))
  return socket
}

async function sendFile(socket: Socket, path: string): Promise<void> {
  await write(socket, Buffer.from('zINSTREAM\0'))
  for await (const chunk of createReadStream(path)) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE((chunk as Buffer).length)
    await write(socket, Buffer.concat([length, chunk as Buffer]))
  }
  await write(socket, Buffer.alloc(4))
}

const write = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())))

function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8')
      if (answer.includes('\0') || answer.length > answerBytesMax) resolve(answer)
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}

function parseOutcome(answer: string): ScanOutcome {
  const line = answer.replace(/\0.*$/s, '').trim()
  if (/^stream: OK$/.test(line)) return { kind: 'clean' }
  const [, name] = /^stream: (.+) FOUND$/.exec(line) ?? []
  return name === undefined ? { kind: 'unknown', reason: line.slice(0, 200) || 'the scanner hung up' } : { kind: 'infected', name }
}
