import type { readRateResets as call } from '#contract/rate-resets.ts'
import { defineReading } from '../http/reading.ts'
import { buildOwnLoan, ownLoanReads } from '../loans/own-loan.ts'
import { findDebitLimit, mandateCapsOfBorrower } from './mandate-cap-store.ts'
import { resetOnWire } from './reset-on-wire.ts'
import { resetsOfBorrower } from './reset-store.ts'

/** Reads the resets of a loan's rate with their options. */
export const readRateResets = defineReading<typeof call>()(
  (borrowerId) => [...ownLoanReads(borrowerId), resetsOfBorrower.with({ borrowerId }), mandateCapsOfBorrower.with({ borrowerId })],
  ({ clock, config }, _caller, { query }, [loans, facts, resets, caps]) => {
    const own = buildOwnLoan([loans, facts], query.application_id)
    const capPaise = findDebitLimit(caps, own.loan.loan_id, config.autopay.rules)
    const shown = { now: clock.now(), capPaise, wantedPaise: query.instalment }
    return {
      rate_resets: resets.filter(({ loan_id }) => loan_id === own.loan.loan_id).map((row) => resetOnWire(row, own.facts, shown)),
    }
  },
)
