import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * What the proxy does to the bytes that pass: `latency` holds every piece back for `ms`; `drip` lets `bytes` through every
 * `ms`; `blackhole` takes what is sent, passes nothing on, and never will on that connection; `refuse` breaks new connections at once, `reset` the standing ones
 * too; `half_close` ends our side towards the client while the other stays open; `lost_commit` breaks the connection when the
 * database has committed, so that nobody hears of it, `times` times; `truncate` breaks it in the middle of an answer.
 */
export type NetworkFault =
  | { kind: 'latency'; ms: number }
  | { kind: 'drip'; bytes: number; ms: number }
  | { kind: 'blackhole' }
  | { kind: 'refuse' }
  | { kind: 'reset' }
  | { kind: 'half_close' }
  | { kind: 'lost_commit'; times: number }
  | { kind: 'truncate'; bytes: number }

export type TcpProxy = {
  port: number
  /** Where connections made from now on go. */
  target: { host: string; port: number }
  /** How often a fault has struck since the last `order`. */
  strikes(): number
  /** Orders a fault for standing and new connections; null heals. */
  order(fault: NetworkFault | null): void
  close(): Promise<void>
}

/** PostgreSQL's answer to COMMIT: CommandComplete, its length, the tag. */
const commitTag = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1')

type Pair = { client: Socket; upstream: Socket; isForgotten: boolean }

/** A connection between two parties that can be made as bad as a network. */
export async function startTcpProxy(target: TcpProxy['target']): Promise<TcpProxy> {
  let fault: NetworkFault | null = null
  let strikes = 0
  let commitsToLose = 0
  const pairs = new Set<Pair>()

  const cut = ({ client, upstream }: Pair) => {
    // A socket that is just saying goodbye cannot be reset, and would never be closed: Node then waits for it for ever at its end.
    if (client.writableEnded) client.destroy()
    else client.resetAndDestroy()
    upstream.destroy()
  }

  const pass = async (chunk: Buffer, to: Socket, isAnswer: boolean, pair: Pair): Promise<void> => {
    if (pair.isForgotten) return
    switch (fault?.kind) {
      case 'latency':
        strikes += 1
        await delay(fault.ms)
        break
      case 'drip':
        strikes += 1
        while (fault?.kind === 'drip' && chunk.length > fault.bytes && to.writable) {
          to.write(chunk.subarray(0, fault.bytes))
          chunk = chunk.subarray(fault.bytes)
          await delay(fault.ms)
        }
        break
      case 'blackhole':
        strikes += 1
        pair.isForgotten = true
        return
      case 'half_close':
        if (!isAnswer) break
        strikes += 1
        pair.client.end()
        return
      case 'truncate':
        if (!isAnswer) break
        strikes += 1
        to.write(chunk.subarray(0, fault.bytes), () => cut(pair))
        return
      case 'lost_commit':
        if (!isAnswer || commitsToLose === 0 || !chunk.includes(commitTag)) break
        commitsToLose -= 1
        strikes += 1
        return cut(pair)
      default:
    }
    if (to.writable) to.write(chunk)
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (fault?.kind === 'refuse' || fault?.kind === 'reset') {
      strikes += 1
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ ...proxy.target, allowHalfOpen: true })
    const pair: Pair = { client, upstream, isForgotten: false }
    pairs.add(pair)
    for (const [from, to, isAnswer] of [
      [client, upstream, false],
      [upstream, client, true],
    ] as const) {
      // One piece after the other, whatever each of them waits for.
      let queue = Promise.resolve()
      from.setNoDelay(true)
      from.on('data', (chunk: Buffer) => (queue = queue.then(() => pass(chunk, to, isAnswer, pair))))
      from.on('end', () => (queue = queue.then(() => void to.end())))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        pairs.delete(pair)
        queue = queue.then(() => void to.destroySoon())
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    strikes: () => strikes,
    order: (next) => {
      fault = next
      strikes = 0
      commitsToLose = next?.kind === 'lost_commit' ? next.times : 0
      if (next?.kind === 'reset') for (const pair of pairs) cut(pair)
      if (next?.kind === 'half_close') for (const { client } of pairs) client.end()
    },
    close: async () => {
      for (const pair of pairs) cut(pair)
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
