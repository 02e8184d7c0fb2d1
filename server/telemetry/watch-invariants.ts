import type { Context } from '../context.ts'
import type { Lease } from '../database/lease.ts'
import { checkInvariants } from '../ledger/check-invariants.ts'

/** The lease of this work: its last report is what the metrics of every process show. */
export const invariantsLease = 'invariants'

/** Checks every invariant, reports how many are broken, and logs each of them. @returns 0: there is no more to do at once. */
export async function watchInvariants(
  { clock, database, log }: Pick<Context, 'clock' | 'database' | 'log'>,
  lease: Pick<Lease, 'report'>,
): Promise<0> {
  const { broken } = await checkInvariants(database, { now: clock.now() })
  const count = new Set(broken.map(({ id }) => id)).size
  lease.report(count > 0 ? 'broken' : 'sound', count)
  for (const { id, detail } of broken) log.error({ invariant: id, detail }, 'an invariant is broken')
  return 0
}
