import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#server/database/free-port.ts'
import { addBorrowers, type Borrower } from './borrowers.ts'
import { hostileParsers } from './hostile-parsers.ts'
import { longerLimits, startPortal, type Portal } from './portal.ts'
import type { TortureOptions, TortureResult, TortureSuite } from './suite.ts'

/**
 * Input that keeps a parser busy: every shape in sizes up to the parser's limit, sent to a real
 * portal process. Each is answered, not by 5xx, and none blocks the event loop for longer than the
 * limit below.
 */

/** One parser of untrusted input. A new one is a row of hostile-parsers.ts. */
export type HostileParser = {
  name: string
  /** The largest input in bytes, at the parser's limit or above. */
  bytesMax: number
  /** Creates an input of about this many bytes for each shape. */
  shapes: Readonly<Record<string, (bytes: number) => string | Buffer>>
  /** The complete HTTP request with an input. */
  request(input: Buffer, suiteRun: HostileCourse, shape: string): Buffer
}

/** The sender of the inputs. */
export type HostileCourse = { portal: Portal; borrower: Borrower }

type HostileOutcome = { parser: string; inputs: number; atLimit: number; slowestMs: number; findings: string[] }

/** Maximum CPU time of one turn of the event loop, milliseconds. */
const turnMsMax = 50
/**
 * How often an input of such a turn is sent: garbage collection and compilation slow down any input
 * once, and a machine that is shared slows all of them for seconds; a slow parser is slow every
 * time.
 */
const timesSent = (turnMs: number): number => (turnMs > turnMsMax ? 40 : turnMs > turnMsMax / 2 ? 5 : 1)
/** A shared machine can be slow for seconds. */
const betweenRepetitionsMs = 250
const sizesOfShape = 20
const answerMsMax = 120_000

/** Sizes from some bytes to the limit, each about 1.6 times the one before. */
const sizesUpTo = (bytesMax: number): number[] =>
  Array.from({ length: sizesOfShape }, (_, index) => Math.max(1, Math.round(bytesMax * 0.62 ** (sizesOfShape - 1 - index))))

export type HostileRun = { parse(parser: HostileParser): Promise<HostileOutcome>; close(): Promise<void> }

/** Starts a portal whose event loop is measured. */
export async function startHostileRun(): Promise<HostileRun> {
  const probePort = await freePort()
  const probe = new URL('event-loop-probe.ts', import.meta.url).href
  const portal = await startPortal({
    nodeOptions: ['--import', probe],
    // Trusted proxies, so that X-Forwarded-For is parsed too. No sweeps: no input waits for one.
    settings: { ...longerLimits, KIST_PROBE_PORT: String(probePort), KIST_TRUSTED_PROXIES: '127.0.0.1', KIST_SWEEP_INTERVAL_MS: '600000' },
  })
  const ask = async (path: string) => Number(await (await fetch(`http://127.0.0.1:${probePort}${path}`)).text())
  const [borrower] = await addBorrowers(portal, 1)
  if (!borrower) throw new Error('there is no borrower')
  const suiteRun: HostileCourse = { portal, borrower }

  const send = async (request: Buffer) => {
    const status = await statusOf(portal, request)
    return { status, turnMs: await ask('/') }
  }
  return {
    async parse(parser) {
      const outcome: HostileOutcome = { parser: parser.name, inputs: 0, atLimit: 0, slowestMs: 0, findings: [] }
      await ask('/')
      for (const [shape, make] of Object.entries(parser.shapes))
        for (const bytes of sizesUpTo(parser.bytesMax)) {
          const request = parser.request(Buffer.from(make(bytes)), suiteRun, shape)
          const { status, turnMs: firstTurnMs } = await send(request)
          let turnMs = firstTurnMs
          for (let sent = 1; sent < timesSent(turnMs); sent += 1) {
            if (sent >= 5) await delay(betweenRepetitionsMs)
            turnMs = Math.min(turnMs, (await send(request)).turnMs)
          }
          outcome.inputs += 1
          if (bytes === parser.bytesMax) outcome.atLimit += 1
          outcome.slowestMs = Math.max(outcome.slowestMs, turnMs)
          const input = `${parser.name}: ${shape}, ${bytes} bytes`
          if (turnMs > turnMsMax) outcome.findings.push(`${input}: kept the event loop for ${turnMs.toFixed(1)} ms`)
          if (status === null) outcome.findings.push(`${input}: no answer`)
          else if (status >= 500) outcome.findings.push(`${input}: answered ${status}`)
        }
      await ask('/stop')
      return outcome
    },
    close: () => portal.close(),
  }
}

export const lineOf = ({ parser, inputs, slowestMs }: HostileOutcome): string =>
  `hostile inputs ${parser} ${inputs}, slowest ${slowestMs.toFixed(1)} ms`

/** Sends raw bytes. @returns the status of the answer; null without one. */
function statusOf({ server }: Portal, request: Buffer): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  let answer = ''
  const end = () => resolve(/^HTTP\/1\.1 (\d{3})/.test(answer) ? Number(answer.slice(9, 12)) : null)
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => void socket.write(request))
  socket.setTimeout(answerMsMax, () => socket.destroy())
  socket
    .on('data', (chunk: Buffer) => {
      if (answer.length < 64) answer += chunk.toString('latin1')
    })
    // The server may reset the connection after a refusal without reading the rest.
    .on('error', end)
    .on('close', end)
  return promise
}

export const hostileInputs: TortureSuite = {
  name: 'hostile-inputs',
  run: async (_options: TortureOptions): Promise<TortureResult> => {
    const run = await startHostileRun()
    try {
      const outcomes: HostileOutcome[] = []
      for (const parser of hostileParsers) outcomes.push(await run.parse(parser))
      const detail = outcomes.flatMap(({ findings }) => findings)
      return { line: outcomes.map(lineOf).join('\n'), failed: detail.length > 0, detail }
    } finally {
      await run.close()
    }
  },
}
