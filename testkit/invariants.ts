import type { Clock } from '#server/config/clock.ts'
import type { Database } from '#server/database/connect.ts'
import { checkInvariants } from '#server/ledger/check-invariants.ts'

/** Checks all invariants of the database. @throws Error that names the broken ones. */
export async function expectInvariantsHold({ database, clock }: { database: Database; clock: Clock }): Promise<void> {
  const { broken } = await checkInvariants(database, { now: clock.now() })
  if (broken.length > 0) throw new Error(`Invariants are broken:\n${broken.map(({ id, detail }) => `  ${id} ${detail}`).join('\n')}`)
}
