import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Faults of the proxy: `latency` delays every chunk by `ms`; `drip` passes `bytes` every `ms`;
 * `blackhole` accepts data and never passes it on; `refuse` closes new connections at once, `reset`
 * open ones too; `half_close` ends the proxy's side towards the client; `lost_commit` breaks the
 * connection when the database has committed, before the acknowledgement, `times` times; `truncate`
 * breaks it within an answer.
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
  /** Sets the target of new connections. */
  target: { host: string; port: number }
  /** How often the fault has occurred since the last `order`. */
  strikes(): number
  /** Orders a fault for open and new connections; null ends it. */
  order(fault: NetworkFault | null): void
  close(): Promise<void>
}

/** PostgreSQL's answer to COMMIT: CommandComplete, its length, the tag. */
const commitTag = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1')

type Pair = { client: Socket; upstream: Socket; isForgotten: boolean }

/** A TCP proxy that simulates network faults. */
export async function startTcpProxy(target: TcpProxy['target']): Promise<TcpProxy> {
  let fault: NetworkFault | null = null
  let strikes = 0
  let commitsToLose = 0
  const pairs = new Set<Pair>()

  const cut = ({ client, upstream }: Pair) => {
    // A socket that is closing cannot be reset and would keep the Node process running.
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
      // Keeps the order of chunks, whatever their delays.
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
