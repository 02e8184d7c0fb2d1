import { uuidv7 } from 'uuidv7'
import type { requestTranche as call } from '#contract/tranches.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise } from '#domain/money.ts'
import { refuseRequest } from '#domain/tranches.ts'
import { logAccess } from '../access-log.ts'
import type { UseCase } from '../http/route.ts'
import { trancheMaximumOf } from '../loans/loan-on-wire.ts'
import { borrowerOf, findOwnLoan, lockOwnLoan } from '../loans/own-loan.ts'
import { addTrancheStep, insertTranche, paidOutOf, tranchesOfLoan, type PaidOut, type TrancheRow } from './tranche-store.ts'
import { trancheFailure } from './tranche-refusals.ts'
import { trancheOnWire } from './tranches-on-wire.ts'

/** Asks for a tranche. Under the loan's row lock, so that of two asked for at once one waits and then finds the other. */
export const requestTranche: UseCase<typeof call> = async ({ database, clock }, caller, request) => {
  const borrowerId = borrowerOf(caller)
  const { body, origin, attempt } = request
  const now = clock.now()
  const today = dayInIndia(now)
  return database.asBorrower(borrowerId, async (sql) => {
    const { loan_id: loanId } = await findOwnLoan(sql, borrowerId, body.lead_id, body.lan)
    const { loan, facts } = await lockOwnLoan(sql, borrowerId, loanId)
    const { status, disbursedPaise } = loanStateDuring(facts, today)
    const asked = await tranchesOfLoan(sql, loan)
    const made = asked.find(({ tranche_id }) => tranche_id === attempt.madeBefore)
    if (made) return trancheOnWire(made, status, trancheMaximumOf(loan, disbursedPaise, asked))
    const maximumPaise = trancheMaximumOf(loan, disbursedPaise, asked)
    const refusal = refuseRequest(
      {
        status,
        allowTrancheRequest: loan.allow_tranche_request,
        tranches: asked.map(({ stage, amount_paise }) => ({ stage, amountPaise: amount_paise })),
        maximumPaise,
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
      partner_tranche_id: `${loan.lan}-T${numberOfNext(asked, await paidOutOf(sql, loan))}`,
      amount_paise: body.amount,
      stage: 'requested',
      disbursed_on: body.date,
      requested_at: now,
      requested_by: caller.actorId,
      changed_at: now,
      // Of the version before, which knew a repeated request by them.
      idempotency_key: null,
      request_hash: null,
    }
    await insertTranche(sql, tranche)
    await attempt.remember(sql, tranche.tranche_id)
    await addTrancheStep(sql, tranche, caller.actorId)
    await logAccess(sql, {
      at: now,
      subjectId: borrowerId,
      actorId: caller.actorId,
      action: 'tranche_requested',
      outcome: 'done',
      origin,
      detail: { partner_tranche_id: tranche.partner_tranche_id },
    })
    return trancheOnWire(tranche, status, paise(maximumPaise - tranche.amount_paise))
  })
}

/** Counts what was paid out and what was asked for, each once; under the loan's row lock it is nobody else's. */
function numberOfNext(asked: readonly TrancheRow[], paidOut: readonly PaidOut[]): number {
  const ids = new Set(asked.map((tranche) => tranche.partner_tranche_id))
  return asked.length + paidOut.filter(({ partnerTrancheId: id }) => id === null || !ids.has(id)).length + 1
}
