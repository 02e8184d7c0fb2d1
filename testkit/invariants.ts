import type { Clock } from '#server/config/clock.ts'
import type { Database } from '#server/database/connect.ts'
import { checkInvariants } from '#server/ledger/check-invariants.ts'

/** For the end of a scenario. @throws Error that names every invariant which does not hold in the portal's database. */
export async function expectInvariantsHold({ database, clock }: { database: Database; clock: Clock }): Promise<void> {
  const { broken } = await checkInvariants(database, { now: clock.now() })
  if (broken.length > 0) throw new Error(`Invariants are broken:\n${broken.map(({ id, detail }) => `  ${id} ${detail}`).join('\n')}`)
}
