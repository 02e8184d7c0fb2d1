import { uuidv7 } from 'uuidv7'
import { dayInIndia } from '#domain/calendar.ts'
import { foreclosureWaiveOn, type ForeclosureWaiveRefusal } from '#domain/foreclosure-waive.ts'
import type { OperationRefusal } from '#domain/operations.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import { addNotice } from '../add-notice.ts'
import { insertForeclosureWaiver } from '../loans/loan-store.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import type { LoanTransaction } from './change-loan.ts'

/**
 * Waives, as of today, the amount that remains after a short foreclosure, and closes the loan
 * (decision 54), with a notice to the borrower. The caller holds the loan's row lock.
 *
 * @returns the waived paise.
 * @throws LedgerRefusal without a short foreclosure, if nothing remains, or above the product's
 * limit.
 */
export async function waiveForeclosure({ sql, own, now, actorId }: LoanTransaction): Promise<Paise> {
  const { loan, facts } = own
  const today = dayInIndia(now)
  const { amountPaise, refusal } = foreclosureWaiveOn(facts, today)
  if (refusal !== null)
    throw new LedgerRefusal(
      refusalTexts[refusal](loan.lan, amountPaise, facts.terms.foreclosureWaiveMaximumPaise),
      foreclosureRefusals[refusal],
    )
  const waiver = { waiverId: uuidv7(), date: today, amountPaise }
  await insertForeclosureWaiver(sql, loan, waiver, { at: now, by: actorId })
  const foreclosureWaivers = [...facts.foreclosureWaivers, waiver]
  await reconcileLedgerToFacts(sql, { ...own, facts: { ...facts, foreclosureWaivers } }, now, actorId)
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const about = `foreclosure_waived:${loanId}:${today}`
  await addNotice(sql, { borrowerId, about, kind: 'foreclosure_waived', lan, amountPaise, date: today }, now)
  return amountPaise
}

const foreclosureRefusals: Record<ForeclosureWaiveRefusal, OperationRefusal> = {
  no_short_foreclosure: 'foreclosure_not_short',
  nothing_left: 'foreclosure_nothing_left',
  above_maximum: 'foreclosure_above_maximum',
}

const refusalTexts: Record<ForeclosureWaiveRefusal, (lan: string, leftPaise: Paise, maximumPaise: Paise) => string> = {
  no_short_foreclosure: (lan) => `No foreclosure of loan ${lan} fell short, so there is nothing to write off`,
  nothing_left: (lan) => `Nothing is left to pay of loan ${lan}`,
  above_maximum: (lan, leftPaise, maximumPaise) =>
    `₹${paiseToRupeesText(leftPaise)} is left of loan ${lan}, and its product allows ₹${paiseToRupeesText(maximumPaise)} to be written off at most`,
}
