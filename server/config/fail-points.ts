import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isMissing } from './is-missing.ts'

/**
 * The named steps, most of them of a payment, at which a test can stop the process (KIST_FAIL): the
 * previous step is durable, the next has not begun.
 */
const failPointNames = [
  /** The intent is stored; the link is not requested yet. */
  'intent_stored',
  /** The provider has created the link; it is not stored yet. */
  'link_made',
  /** The cancellation is accepted; it is not requested from the provider yet. */
  'cancel_asked',
  /** The provider has answered the cancellation; the result is not stored yet. */
  'cancel_answered',
  /** A webhook event has arrived; it is not in the inbox yet. */
  'event_arrived',
  /** The event is in the inbox; it is not answered yet. */
  'event_stored',
  /** The captured payment is stored; it is not posted yet. */
  'capture_stored',
  /** The loan is read under its lock; nothing is posted yet. */
  'posting_begun',
  /** The posting is written; it is not committed yet. */
  'posting_written',
  /** The posting is committed; no message is sent yet. */
  'posting_committed',
  /** A refund is decided; it is not submitted yet. */
  'refund_asked',
  /** The provider has answered the refund; the result is not stored yet. */
  'refund_answered',
  /** A mandate is stored; the provider is not asked for it yet. */
  'autopay_mandate_stored',
  /** The provider has made the page of a mandate; it is not stored yet. */
  'autopay_mandate_made',
  /** An announcement is decided; its order is not requested yet. */
  'autopay_announcement_decided',
  /** The provider has made the order of a debit; it is not stored yet. */
  'autopay_announcement_made',
  /** A debit counts as presented; the provider is not asked for it yet. */
  'autopay_debit_decided',
  /** The provider has answered the request for a debit; the answer is not stored yet. */
  'autopay_debit_requested',
  /** The outcome of a debit is known; it is not stored yet. */
  'autopay_debit_known',
  /** A debit is posted; it is not committed yet. */
  'autopay_debit_posted',
  /** An approved proposal is executed; it is not committed yet. */
  'proposal_written',
  /** The execution is committed; it is not answered yet. */
  'proposal_committed',
  /** A chunk of a run of rate resets is committed; the next has not begun. */
  'reset_chunk_written',
  /** A stop is announced, and its delay over; new connections are still accepted. */
  'stop_announced',
] as const
export type FailPointName = (typeof failPointNames)[number]

/** Passes a named step; waits or fails only if a test has set an action for it. */
export type FailPoint = (name: FailPointName) => Promise<void>

/**
 * `exit` kills the process like kill -9, `throw` fails the work, `hold` waits until released,
 * `delay=MS` waits.
 */
const actionPattern = /^(exit|throw|hold|delay=\d{1,6})$/
const releasedPollMs = 5

/** The first invalid entry of KIST_FAIL; null if it is valid. */
export function findFailPointFault(text: string): string | null {
  for (const [name = '', action = ''] of parseActions(text))
    if (!failPointNames.some((known) => known === name) || !actionPattern.test(action)) return `${name}:${action}`
  return null
}

/**
 * Creates the fail-points of this process. An action is a file `<directory>/<name>` that contains
 * it, and applies once: the process that reaches the step renames the file to `<name>.reached`. A
 * `hold` lasts until that file is deleted. So a test controls running processes and knows where
 * they are.
 *
 * @param text the initial actions, `intent_stored:exit,link_made:hold`, or `none`; null, as outside
 * tests, disables fail-points.
 */
export function createFailPoints(text: string | null, directory: string): FailPoint {
  const passed = Promise.resolve()
  if (text === null) return () => passed
  mkdirSync(directory, { recursive: true })
  for (const [name, action] of parseActions(text)) writeFileSync(join(directory, name), action)
  return async (name) => {
    const reached = join(directory, `${name}.reached`)
    if (!claimAction(join(directory, name), reached)) return
    const action = readFileSync(reached, 'utf8')
    if (action === 'exit') process.kill(process.pid, 'SIGKILL')
    if (action === 'throw') throw new Error(`The fail-point ${name} was reached`)
    if (action.startsWith('delay=')) await delay(Number(action.slice('delay='.length)))
    while (action === 'hold' && existsSync(reached)) await delay(releasedPollMs)
  }
}

const parseActions = (text: string): [name: string, action: string][] =>
  text === 'none'
    ? []
    : text.split(',').map((one) => {
        const [name = '', action = ''] = one.split(':')
        return [name, action]
      })

/** If several processes reach a step at once, one claims the action. */
function claimAction(path: string, reached: string): boolean {
  try {
    renameSync(path, reached)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
