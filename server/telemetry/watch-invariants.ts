import type { Context } from '../context.ts'
import type { Lease } from '../database/lease.ts'
import { checkInvariants } from '../ledger/check-invariants.ts'

/** The lease of this job; the metrics of every process show its last report. */
export const invariantsLease = 'invariants'

/**
 * Checks all invariants, reports the number of broken ones and logs each.
 *
 * @returns 0: there is no more to do.
 */
export async function watchInvariants(
  { clock, database, log }: Pick<Context, 'clock' | 'database' | 'log'>,
  lease: Pick<Lease, 'report'>,
): Promise<0> {
  const { broken } = await checkInvariants(database, { now: clock.now() })
  const count = new Set(broken.map(({ id }) => id)).size
  lease.report(count > 0 ? 'broken' : 'sound', count)
  for (const { id, detail } of broken) log.error({ invariant: id, detail }, 'invariant broken')
  return 0
}
