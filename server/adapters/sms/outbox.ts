import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../config/clock.ts'
import { ConfigError } from '../../config/read-config.ts'
import type { SmsSender } from './sms.ts'

/** Messages to this phone always fail, to demonstrate the failure. */
export const failingPhone = '+919000000098'

type OutboxOptions = {
  production: boolean
  dataDirectory: string
  clock: Clock
  /** Prints each message; the console by default. */
  print?: (line: string) => void
}

/**
 * The demo's carrier: writes each message as a line `{"at","to","text","code"}` to `outbox.ndjson`
 * in the data directory, and prints it.
 *
 * @throws ConfigError in production, where codes must not be written to files.
 */
export function createSmsOutbox({ production, dataDirectory, clock, print = console.log }: OutboxOptions): SmsSender {
  if (production) throw new ConfigError(['no SMS carrier is configured: the outbox is for the demo and for tests only'])
  return {
    async send({ to, text, code }) {
      if (to === failingPhone) return { failed: 'this phone is the demo’s example of a failing message' }
      await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
      await appendFile(join(dataDirectory, 'outbox.ndjson'), `${JSON.stringify({ at: clock.now().toISOString(), to, text, code })}\n`, {
        mode: 0o600,
      })
      print(`SMS to ${to}: ${text.replace(/\s+/g, ' ')}`)
      return 'sent'
    },
  }
}
