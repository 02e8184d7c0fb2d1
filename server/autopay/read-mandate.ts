import type { readMandate as call } from '#contract/autopay.ts'
import type { Context } from '../context.ts'
import type { UseCase } from '../http/route.ts'
import { readOwnLoanById, requireBorrower } from '../loans/own-loan.ts'
import { mandateOnWire } from './autopay-on-wire.ts'
import { claimMandateCheck, type MandateRow } from './mandate-store.ts'
import { findOwnMandate } from './own-mandate.ts'
import { syncMandate } from './sync-mandate.ts'

/** Statuses that the provider changes soon; the page that waits for the change polls. */
const waitingStatuses: ReadonlySet<MandateRow['status']> = new Set(['creating', 'issued', 'initiated', 'ending'])

/**
 * Reads a mandate. One of the simultaneous polls asks the provider first, if the stored state is
 * not fresh.
 */
export const readMandate: UseCase<typeof call> = async (context, caller, { params }) => {
  const borrowerId = requireBorrower(caller)
  const { known, lan } = await context.database.asBorrower(borrowerId, async (sql) => {
    const known = await findOwnMandate(sql, borrowerId, params.id)
    return { known, lan: (await readOwnLoanById(sql, borrowerId, known.loan_id)).loan.lan }
  })
  const mandate = (await claimCheck(context, known)) ? (await syncMandate(context, known)).mandate : known
  return { mandate: mandateOnWire(mandate, lan, context.config.autopay.rules) }
}

async function claimCheck({ database, clock, config }: Context, known: MandateRow): Promise<boolean> {
  if (!waitingStatuses.has(known.status)) return false
  const now = clock.now()
  const freshSince = new Date(now.getTime() - config.payments.statusFreshMs)
  return database.asBorrower(known.borrower_id, (sql) => claimMandateCheck(sql, known, now, freshSince))
}
