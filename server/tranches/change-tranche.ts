import type { changeTranche as call } from '#contract/tranches.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise } from '#domain/money.ts'
import { refuseChange } from '#domain/tranches.ts'
import { logAction } from '../access-log.ts'
import { notFound } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { computeTrancheMaximum } from '../loans/loan-on-wire.ts'
import { requireBorrower, findOwnLoan, lockOwnLoan } from '../loans/own-loan.ts'
import { saveTranche, findTranches, type TrancheRow } from './tranche-store.ts'
import { trancheFailure } from './tranche-refusals.ts'
import { trancheOnWire } from './tranches-on-wire.ts'

/**
 * Changes a tranche that is not disbursed yet; it then needs a new decision. Absent values stay
 * unchanged.
 */
export const changeTranche: UseCase<typeof call> = async ({ database, clock }, caller, { body, origin }) => {
  const borrowerId = requireBorrower(caller)
  const now = clock.now()
  const today = dayInIndia(now)
  return database.asBorrower(borrowerId, async (sql) => {
    const { loan_id: loanId } = await findOwnLoan(sql, borrowerId, body.lan)
    const { loan, facts } = await lockOwnLoan(sql, borrowerId, loanId)
    const requested = await findTranches(sql, loan)
    const tranche = requested.find(({ partner_tranche_id: id }) => id === body.partner_tranche_id)
    if (!tranche) throw notFound()
    const { status, disbursedPaise } = loanStateDuring(facts, today)
    const maximumPaise = computeTrancheMaximum(loan, disbursedPaise, requested)
    const loanNow = { status, facts, maximumPaise, today }
    const date = body.date ?? tranche.disbursed_on
    const { stage, amount_paise: amountPaise, disbursed_on: dateBefore } = tranche
    const refusal = refuseChange(loanNow, { stage, amountPaise, date: dateBefore }, body.amount, date)
    if (refusal) throw trancheFailure(refusal, paise(maximumPaise + amountPaise))
    if (body.amount === amountPaise && date === dateBefore) return trancheOnWire(tranche, loanNow)
    const changed: TrancheRow = {
      ...tranche,
      amount_paise: body.amount,
      disbursed_on: date,
      stage: 'requested',
      changed_at: now,
    }
    await saveTranche(sql, changed, caller.actorId)
    await logAction(sql, { borrowerId, actorId: caller.actorId, origin, now }, 'tranche_changed', {
      partner_tranche_id: tranche.partner_tranche_id,
    })
    return trancheOnWire(changed, { ...loanNow, maximumPaise: paise(maximumPaise + amountPaise - body.amount) })
  })
}
