import { uuidv7 } from 'uuidv7'
import type { requestTranche as call } from '#contract/tranches.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise } from '#domain/money.ts'
import { refuseRequest } from '#domain/tranches.ts'
import { logAction } from '../access-log.ts'
import type { UseCase } from '../http/route.ts'
import { computeTrancheMaximum } from '../loans/loan-on-wire.ts'
import { requireBorrower, findOwnLoan, lockOwnLoan } from '../loans/own-loan.ts'
import { addTrancheStep, insertTranche, readDisbursals, findTranches, type PaidDisbursal, type TrancheRow } from './tranche-store.ts'
import { trancheFailure } from './tranche-refusals.ts'
import { trancheOnWire } from './tranches-on-wire.ts'

/**
 * Requests a tranche under the loan's row lock, so that of two concurrent requests the second sees
 * the first.
 */
export const requestTranche: UseCase<typeof call> = async ({ database, clock }, caller, request) => {
  const borrowerId = requireBorrower(caller)
  const { body, origin, attempt } = request
  const now = clock.now()
  const today = dayInIndia(now)
  return database.asBorrower(borrowerId, async (sql) => {
    const { loan_id: loanId } = await findOwnLoan(sql, borrowerId, body.lead_id, body.lan)
    const { loan, facts } = await lockOwnLoan(sql, borrowerId, loanId)
    const { status, disbursedPaise } = loanStateDuring(facts, today)
    const requested = await findTranches(sql, loan)
    const earlier = requested.find(({ tranche_id }) => tranche_id === attempt.madeBefore)
    const maximumPaise = computeTrancheMaximum(loan, disbursedPaise, requested)
    if (earlier) return trancheOnWire(earlier, { status, facts, maximumPaise, today })
    const refusal = refuseRequest(
      {
        status,
        allowTrancheRequest: loan.allow_tranche_request,
        tranches: requested.map(({ stage, amount_paise }) => ({ stage, amountPaise: amount_paise })),
        maximumPaise,
        facts,
        today,
      },
      body.amount,
      body.date,
    )
    if (refusal) throw trancheFailure(refusal, maximumPaise)
    const tranche: TrancheRow = {
      borrower_id: borrowerId,
      loan_id: loanId,
      tranche_id: uuidv7(),
      partner_tranche_id: nextTrancheName(loan.lan, requested, await readDisbursals(sql, loan)),
      amount_paise: body.amount,
      stage: 'requested',
      disbursed_on: body.date,
      requested_at: now,
      requested_by: caller.actorId,
      changed_at: now,
    }
    await insertTranche(sql, tranche)
    await attempt.remember(sql, tranche.tranche_id)
    await addTrancheStep(sql, tranche, caller.actorId)
    await logAction(sql, { borrowerId, actorId: caller.actorId, origin, now }, 'tranche_requested', {
      partner_tranche_id: tranche.partner_tranche_id,
    })
    return trancheOnWire(tranche, { status, facts, maximumPaise: paise(maximumPaise - tranche.amount_paise), today })
  })
}

/**
 * Counts disbursals and requested tranches, each once, and goes on while a name is taken: an
 * imported book can lack some. Unique under the loan's row lock.
 */
function nextTrancheName(lan: string, requested: readonly TrancheRow[], disbursals: readonly PaidDisbursal[]): string {
  const names = new Set(requested.map((tranche) => tranche.partner_tranche_id))
  const others = disbursals.filter(({ partnerTrancheId: name }) => name === null || !names.has(name))
  for (const { partnerTrancheId: name } of others) if (name !== null) names.add(name)
  let number = requested.length + others.length + 1
  while (names.has(`${lan}-T${number}`)) number += 1
  return `${lan}-T${number}`
}
