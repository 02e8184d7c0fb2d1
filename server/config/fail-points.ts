import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * The named steps of a payment at which a test may break the process (KIST_FAIL): what has been done is durable, what comes
 * next has not begun.
 */
export const failPointNames = [
  /** The intent is stored; the provider has not been asked. */
  'intent_stored',
  /** The provider made the link; we have not stored it. */
  'link_made',
  /** The borrower's cancelling is accepted; the provider has not been asked. */
  'cancel_asked',
  /** The provider said what became of the link; we have not stored it. */
  'cancel_answered',
  /** An event came in; it is not in the inbox. */
  'event_arrived',
  /** The event is in the inbox; it is not answered. */
  'event_stored',
  /** The captured payment is stored; the ledger does not have it. */
  'capture_stored',
  /** The loan is read under its lock; nothing is posted. */
  'posting_begun',
  /** The posting is written; it is not committed. */
  'posting_written',
  /** The posting is committed; nobody has been told. */
  'posting_committed',
  /** A refund is decided; the provider has not been asked. */
  'refund_asked',
  /** The provider answered to the refund; we have not stored it. */
  'refund_answered',
] as const
export type FailPointName = (typeof failPointNames)[number]

/** Passes a named step: at once, unless a test has ordered something for it. */
export type FailPoint = (name: FailPointName) => Promise<void>

/** `exit` kills the process as kill -9 does, `throw` fails the work, `hold` waits to be let go, `delay=MS` waits. */
const order = /^(exit|throw|hold|delay=\d{1,6})$/
const releasedPollMs = 5

/** What is wrong with the text of KIST_FAIL; null when it can be followed. */
export function failPointsFault(text: string): string | null {
  for (const [name = '', action = ''] of ordersOf(text))
    if (!failPointNames.some((known) => known === name) || !order.test(action)) return `${name}:${action}`
  return null
}

/**
 * The fail-points of this process. An order is a file `<directory>/<name>` with the action in it, and strikes once: whoever
 * reaches the step renames it to `<name>.reached`. A `hold` lasts until that file is gone. So a test steers running processes
 * and knows where they are. `text` is the orders to begin with, `intent_stored:exit,link_made:hold`, or `none`.
 *
 * @param text null, as everywhere but in tests: every step is passed, and nothing is looked for.
 */
export function createFailPoints(text: string | null, directory: string): FailPoint {
  const passed = Promise.resolve()
  if (text === null) return () => passed
  mkdirSync(directory, { recursive: true })
  for (const [name, action] of ordersOf(text)) writeFileSync(join(directory, name), action)
  return async (name) => {
    const reached = join(directory, `${name}.reached`)
    if (!takeOrder(join(directory, name), reached)) return
    const action = readFileSync(reached, 'utf8')
    if (action === 'exit') process.kill(process.pid, 'SIGKILL')
    if (action === 'throw') throw new Error(`The fail-point ${name} was reached`)
    if (action.startsWith('delay=')) await delay(Number(action.slice('delay='.length)))
    while (action === 'hold' && existsSync(reached)) await delay(releasedPollMs)
  }
}

const ordersOf = (text: string): [name: string, action: string][] =>
  text === 'none'
    ? []
    : text.split(',').map((one) => {
        const [name = '', action = ''] = one.split(':')
        return [name, action]
      })

/** Of several that reach a step at once, one takes the order. */
function takeOrder(path: string, reached: string): boolean {
  try {
    renameSync(path, reached)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
