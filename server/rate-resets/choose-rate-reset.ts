import type { chooseRateReset as call } from '#contract/rate-resets.ts'
import type { AutopayRules } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { refuseChoice, type ResetChoice, type ResetRefusal } from '#domain/rate-resets.ts'
import { computeResetOffer, isWithinBounds, type ResetOffer, type ResetOption } from '#domain/reset-offer.ts'
import { paiseToRupees, type Paise } from '#domain/money.ts'
import { addNotice } from '../add-notice.ts'
import { isAssuming, type Caller } from '../caller.ts'
import { Failure, notFound } from '../http/failure.ts'
import type { Request, UseCase } from '../http/route.ts'
import { changeLoanInTransaction, type ChangeResult, type LoanTransaction } from '../loan-changes/change-loan.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { readDebitLimit } from './mandate-cap-store.ts'
import { hashOffer, newRateOf, resetOnWire } from './reset-on-wire.ts'
import { findReset, type ResetRow } from './reset-store.ts'
import { saveDecision } from './save-decision.ts'

const refusalTexts: Record<ResetRefusal, string> = {
  too_late: 'The last day to choose is over. The rate has changed, and the announced default applies.',
  withdrawn: 'The lender has withdrawn this change of the rate. Nothing changes.',
  not_notified: 'There is nothing to choose yet.',
}

/**
 * Stores the borrower's choice as a rate change on the day of the reset. A payment link stays open,
 * because its quote includes the new rate (decision 53).
 *
 * @throws Failure RateResetClosed, RateResetStale or RateResetNotAllowed.
 */
export const chooseRateReset: UseCase<typeof call> = async ({ database, clock, config }, caller, request) => {
  const borrowerId = requireBorrower(caller)
  const { answer } = await database.asBorrower(borrowerId, async (sql) => {
    const found = await findReset(sql, borrowerId, request.params.id)
    if (!found || found.notified_at === null) throw notFound()
    return changeLoanInTransaction(
      sql,
      {
        borrowerId,
        loanId: found.loan_id,
        actor: { actorId: caller.actorId, name: isAssuming(caller) ? 'support' : 'borrower', reason: null },
        whileLinkOpen: 'keep',
        origin: request.origin,
        write: (transaction) => choose(transaction, config.autopay.rules, caller, request, found.reset_id),
      },
      clock.now(),
    )
  })
  return { rate_reset: answer }
}

async function choose(
  transaction: LoanTransaction,
  rules: AutopayRules,
  caller: Caller,
  { body }: Request<typeof call>,
  resetId: string,
): Promise<ChangeResult<ReturnType<typeof resetOnWire>>> {
  const { sql, own, now } = transaction
  const { borrower_id: borrowerId, lan } = own.loan
  const row = await findReset(sql, borrowerId, resetId)
  if (!row) throw notFound()
  const offer = readOffer(row, transaction, body.instalment)
  if (hashOffer(row, offer) !== body.preview_hash)
    throw new Failure('RateResetStale', 'The loan has changed since these figures were computed. Look at the new ones and choose again.')
  const option = selectOption(offer, body.option, body.instalment)
  const saved = await saveDecision(transaction, row, { choice: option.choice, decision: option.decision, outcome: option })
  if (isAssuming(caller))
    await addNotice(
      sql,
      {
        borrowerId,
        about: `reset_chosen:${resetId}:${now.getTime()}`,
        kind: 'rate_reset_chosen',
        lan,
        amountPaise: option.instalmentPaise,
        date: row.effective_on,
      },
      now,
    )
  const detail = { reset: resetId, choice: option.choice, instalment_paise: String(option.instalmentPaise) }
  const shown = { now, capPaise: await readDebitLimit(sql, borrowerId, row.loan_id, rules), wantedPaise: body.instalment }
  return { answer: resetOnWire(saved, own.facts, shown), log: { action: 'rate_reset_chosen', detail } }
}

/** @throws Failure RateResetClosed if nothing can be chosen now. */
function readOffer(row: ResetRow, { own, now }: LoanTransaction, wantedPaise: Paise | undefined): ResetOffer {
  const today = dayInIndia(now)
  const refusal = refuseChoice(row.state, row.effective_on, today)
  if (refusal !== null) throw new Failure('RateResetClosed', refusalTexts[refusal])
  const offer = computeResetOffer(own.facts, today, newRateOf(row), wantedPaise)
  if (typeof offer === 'string') throw new Failure('RateResetClosed', 'The loan has nothing left that a new rate changes.')
  return offer
}

/** @throws Failure RateResetNotAllowed if the option is not offered or its EMI is out of bounds. */
function selectOption({ options, bounds }: ResetOffer, choice: ResetChoice, instalmentPaise: Paise | undefined): ResetOption {
  const option = options.find((one) => one.choice === choice)
  if (!option) throw new Failure('RateResetNotAllowed', 'This choice is not on offer for the loan.', { field: 'option' })
  if (choice !== 'between' || bounds === null) return option
  if (instalmentPaise === undefined) throw new Failure('InvalidRequest', 'instalment is missing.', { field: 'instalment' })
  if (!isWithinBounds(bounds, instalmentPaise)) {
    const minimum = paiseToRupees(bounds.minimumPaise)
    const maximum = paiseToRupees(bounds.maximumPaise)
    throw new Failure('RateResetNotAllowed', `The EMI must be in whole rupees from ₹${minimum} to ₹${maximum}.`, {
      field: 'instalment',
      bounds: { minimum, maximum },
    })
  }
  return option
}
