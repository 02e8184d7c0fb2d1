import { openBook } from './book.ts'
import { drive } from './drive.ts'
import type { Benchmark } from './measure.ts'
import { requestsOf } from './reads.ts'
import { keepAwake, peakMegabytes, signInAskers, startReplica } from './replica.ts'
import { median } from './slow-phone.ts'

const megabytesMax = 350
const startMsMax = 2_000

/**
 * Peak memory of one web process after all kinds of reads under full load.
 */
export const memoryBenchmark: Benchmark = {
  name: 'memory',
  run: async ({ quick }) => {
    const book = await openBook(10_000)
    const replica = await startReplica(book)
    try {
      const idle = peakMegabytes(replica.pid)
      const requests = requestsOf(await signInAskers(book))
      await keepAwake(book)
      const { milliseconds } = await drive(replica.port, requests, { atOnce: 32, ms: quick ? 5_000 : 40_000 })
      const peak = peakMegabytes(replica.pid)
      return `memory: ratio ${(peak / megabytesMax).toFixed(2)} (ours ${peak.toFixed(0)} MB at most in ${milliseconds.length.toLocaleString('en-IN')} requests, ${idle.toFixed(0)} MB before the first, floor ${megabytesMax} MB allowed)`
    } finally {
      await replica.stop()
    }
  },
}

/** Time from the start of a process, on an existing database, to its first ready answer. */
export const startBenchmark: Benchmark = {
  name: 'start',
  run: async ({ quick }) => {
    const book = await openBook(10_000)
    const times: number[] = []
    for (let run = 0; run < (quick ? 3 : 7); run += 1) {
      const replica = await startReplica(book)
      times.push(replica.readyMs)
      await replica.stop()
    }
    const middle = median(times)
    return `start: ratio ${(middle / startMsMax).toFixed(2)} (ours ${middle.toFixed(0)} ms to ready, floor ${startMsMax} ms allowed)`
  },
}
