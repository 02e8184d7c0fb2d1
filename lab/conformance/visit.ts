import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** One run of the client: its addresses and stored values. */
export type Visit = {
  /** The portal's address without a path. */
  origin: string
  sandbox: string
  outbox: string
  /** Ten digits. */
  phone: string
  staffPhone: string
  /** A borrower with a floating loan whose new rate is announced. */
  floatingPhone: string
  /** Staff who propose, and staff who approve. */
  makerPhone: string
  checkerPhone: string
  token: string | null
  /** Values by name that a call stores for later calls. */
  kept: Map<string, string>
}

/** The value that an earlier call stored. */
export function kept(visit: Visit, name: string): string {
  const value = visit.kept.get(name)
  if (value === undefined) throw new Error(`no earlier call gave ${name}`)
  return value
}

type Message = { to: string; code: string | null }

function messagesTo(visit: Visit, phone: string): Message[] {
  try {
    const lines = readFileSync(visit.outbox, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as Message).filter(({ to, code }) => to.endsWith(phone) && code !== null)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export const countMessages = (visit: Visit, phone: string): number => messagesTo(visit, phone).length

/**
 * The code of the first message after `before` messages.
 *
 * @throws when none comes within a minute.
 */
export async function nextCode(visit: Visit, phone: string, before: number): Promise<string> {
  for (let tries = 0; tries < 1_200; tries++) {
    const code = messagesTo(visit, phone).slice(before).at(-1)?.code
    if (code) return code
    await delay(50)
  }
  throw new Error(
    `no code for ${phone} came into ${visit.outbox}: give the outbox.ndjson of the portal at ${visit.origin} with --outbox, and its sandbox's address with --sandbox`,
  )
}

/** Pays a link in the sandbox. */
export async function payAtSandbox(visit: Visit, linkId: string): Promise<void> {
  const response = await fetch(`${visit.sandbox}/__sandbox/links/${linkId}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'upi', outcome: 'success' }),
  })
  if (!response.ok) throw new Error(`the sandbox answered ${response.status} to paying ${linkId}`)
}
