import { checkInvariants, type CheckResult } from '#server/ledger/check-invariants.ts'
import type { Desk } from './kist-database.ts'
import { createProgress } from './kist-progress.ts'

/** `kist check`: every ledger and state invariant over the whole database. */
export async function check({ database, clock }: Desk): Promise<CheckResult> {
  const progress = createProgress('Checking loans')
  try {
    return await checkInvariants(database, { now: clock.now(), onProgress: progress.tell })
  } finally {
    progress.end()
  }
}

/** A line for everything that is broken, then the line that sums up. */
export const checkReport = ({ checked, broken }: CheckResult): string =>
  [
    ...broken.map(({ id, detail }) => `${id} ${detail}`),
    `invariants: ${checked} checked, ${new Set(broken.map(({ id }) => id)).size} broken`,
  ].join('\n')
