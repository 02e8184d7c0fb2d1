import { once } from 'node:events'
import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'

/**
 * Loaded before the portal (`--import`): measures the CPU time of single turns of its event loop.
 * CPU time of the main thread, not elapsed time, so that other processes do not count. `GET /` on
 * the port of KIST_PROBE_PORT answers the longest turn since the last answer, in milliseconds.
 */
const port = Number(process.env['KIST_PROBE_PORT'])
/** Work after an answer belongs to the previous input. */
const turnsAfterAnswer = 3

let longestMs = 0
let last = process.threadCpuUsage()
let isMeasuring = false
let isTurning = false

/** Unreferenced: the loop sleeps until there is work, and the measuring uses no core of its own. */
function armAfterTurn(): void {
  setImmediate(measureTurn).unref()
}

function measureTurn(): void {
  const now = process.threadCpuUsage()
  longestMs = Math.max(longestMs, (now.user - last.user + now.system - last.system) / 1_000)
  last = now
  if (isMeasuring) armAfterTurn()
  else isTurning = false
}

/** Measures from now on, until `/stop`. */
function start(): void {
  isMeasuring = true
  if (isTurning) return
  isTurning = true
  last = process.threadCpuUsage()
  armAfterTurn()
}

async function readLongest(): Promise<number> {
  for (let turns = 0; turns < turnsAfterAnswer; turns += 1) await turn()
  const read = longestMs
  longestMs = 0
  return read
}

if (port > 0) {
  const server = createServer((request, response) => {
    if (request.url === '/stop') isMeasuring = false
    else start()
    void readLongest().then((ms) => response.end(String(ms)))
  })
  server.listen(port, '127.0.0.1')
  // The program starts, and says that it is ready, only when the probe can be asked.
  await once(server, 'listening')
  server.unref()
}
