import type { Context } from '../context.ts'
import { checkInvariants } from '../ledger/check-invariants.ts'

/** Looks at every invariant, tells how many are broken, and says each in the log. @returns 0: there is no more to do at once. */
export async function watchInvariants({
  clock,
  database,
  log,
  metrics,
}: Pick<Context, 'clock' | 'database' | 'log' | 'metrics'>): Promise<0> {
  const at = clock.now()
  const { broken } = await checkInvariants(database, { now: at })
  metrics.invariantsChecked({ at, broken: new Set(broken.map(({ id }) => id)).size })
  for (const { id, detail } of broken) log.error({ invariant: id, detail }, 'an invariant is broken')
  return 0
}
