import { uuidv7 } from 'uuidv7'
import { addDays, dayInIndia } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { operationKinds, type OperationKind } from '#domain/operations.ts'
import type { TrancheStage } from '#domain/tranches.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'
import { addReview } from '#server/payments/review-store.ts'
import { addTrancheStep, insertTranche } from '#server/tranches/tranche-store.ts'
import type { Borrower } from './borrowers.ts'
import { change, charge, transfer } from './lender.ts'
import type { Portal } from './portal.ts'

/** Kinds that need a loan of another state, or are about no loan. */
const otherKinds = ['foreclosure_waive', 'benchmark_publish', 'rate_reset_run', 'rate_reset_withdraw', 'paper_publish'] as const
type OtherKind = (typeof otherKinds)[number]

/** The kinds that fit a running loan at any time. */
export const kindsOfSuite = operationKinds.filter(
  (kind): kind is Exclude<OperationKind, OtherKind> => !(otherKinds as readonly string[]).includes(kind),
)
type SuiteKind = (typeof kindsOfSuite)[number]

/** Prepares the loan for a kind. @returns the input on the wire. */
export async function prepareOperation(
  portal: Portal,
  borrower: Borrower,
  kind: SuiteKind,
  below: (end: number) => number,
): Promise<Record<string, unknown>> {
  const today = dayInIndia(portal.clock.now())
  const name = uuidv7()
  const amount = (1 + below(50_000)) / 100
  switch (kind) {
    case 'charge_add':
      return { charge_type: 'BOUNCE_CHARGE', amount }
    case 'charge_waive':
      await change(portal, borrower, charge(`charge:${name}`), { whileLinkOpen: 'refuse', cancelLink: true })
      return { charge_id: `charge:${name}` }
    case 'payment_record':
      return { mode: 'neft', amount, value_date: today, reference: name }
    case 'payment_reverse':
      await change(portal, borrower, transfer(name), { whileLinkOpen: 'cancel_after' })
      return { payment_id: name, cause: below(2) === 0 ? 'bounced' : 'wrong_loan' }
    case 'credit_refund':
      return { amount }
    case 'tranche_approve':
      return { partner_tranche_id: await addTranche(portal, borrower, name, 'requested') }
    case 'tranche_reject':
      return { partner_tranche_id: await addTranche(portal, borrower, name, 'requested'), cause: 'No proof of fees' }
    case 'tranche_release':
      return { partner_tranche_id: await addTranche(portal, borrower, name, 'approved'), date: today }
    case 'review_resolve':
      return { review_id: await addDispute(portal, borrower, name), resolution: 'Closed by the bank' }
  }
}

async function addTranche(portal: Portal, { borrowerId, loanId }: Borrower, id: string, stage: TrancheStage): Promise<string> {
  const now = portal.clock.now()
  const tranche = {
    borrower_id: borrowerId,
    loan_id: loanId,
    tranche_id: uuidv7(),
    partner_tranche_id: id,
    amount_paise: rupeesToPaise(100),
    stage,
    disbursed_on: addDays(dayInIndia(now), 2),
    requested_at: now,
    requested_by: borrowerId,
    changed_at: now,
    idempotency_key: null,
    request_hash: null,
  }
  await portal.database().asBorrower(borrowerId, async (sql) => {
    await lockOwnLoan(sql, borrowerId, loanId)
    await insertTranche(sql, tranche)
    await addTrancheStep(sql, tranche, borrowerId)
  })
  return id
}

const addDispute = (portal: Portal, { borrowerId, loanId }: Borrower, about: string): Promise<string> =>
  portal.database().asSystem(async (sql) => {
    await addReview(sql, { borrowerId, loanId, kind: 'dispute', about, detail: {} }, portal.clock.now())
    const query = sql.selectFrom('payment_reviews').select('review_id').where('borrower_id', '=', borrowerId)
    return (await query.where('about', '=', `dispute:${about}`).executeTakeFirstOrThrow()).review_id
  })
