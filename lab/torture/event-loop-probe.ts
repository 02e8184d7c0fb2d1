import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'

/**
 * Given to Node before the portal (`--import`): measures how long single turns of its event loop compute. CPU time of the main
 * thread, not wall time, so that a machine busy with other work does not count. `GET /` on the port of KIST_PROBE_PORT answers the
 * longest turn since the last answer, in milliseconds.
 */
const port = Number(process.env['KIST_PROBE_PORT'])
/** What was computed after an answer was sent still belongs to the input before. */
const turnsAfterAnswer = 3

let longestMs = 0
let last = process.threadCpuUsage()
let isMeasuring = false
let isTurning = false

function measureTurn(): void {
  const now = process.threadCpuUsage()
  longestMs = Math.max(longestMs, (now.user - last.user + now.system - last.system) / 1_000)
  last = now
  if (isMeasuring) setImmediate(measureTurn)
  else isTurning = false
}

/** The loop turns without rest while somebody measures, and only then. */
function start(): void {
  isMeasuring = true
  if (isTurning) return
  isTurning = true
  last = process.threadCpuUsage()
  setImmediate(measureTurn)
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
  server.unref()
}
