import type { Collection, readCollections as call } from '#contract/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { Sql } from '../database/connect.ts'
import type { UseCase } from '../http/route.ts'
import { findReceipts } from '../ledger/receipt-store.ts'
import { readOwnLoan, requireBorrower, type OwnLoan } from '../loans/own-loan.ts'
import { findReturnStatus } from '../payments/link-money.ts'
import { listLinkPayments } from '../payments/provider-payment-store.ts'
import { listLinkRefunds } from '../payments/refund-store.ts'
import { buildMoneySteps } from '../payments/views/trail-steps.ts'
import { readPostingsById } from '../payments/views/trail-store.ts'
import { collectionOnWire, type CollectionSurroundings } from './autopay-on-wire.ts'
import { listCollections, type CollectionRow } from './collection-store.ts'
import { listMandates } from './mandate-store.ts'

/** Reads all debits of a loan with their steps, newest first. */
export const readCollections: UseCase<typeof call> = async ({ database, clock, config }, caller, { query }) => {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const own = await readOwnLoan(sql, borrowerId, query.application_id)
    const collections = await listCollections(sql, borrowerId, own.loan.loan_id)
    const around = {
      lan: own.loan.lan,
      facts: own.facts,
      rules: config.autopay.rules,
      holidays: config.autopay.holidays,
      now: clock.now(),
      mandates: await listMandates(sql, borrowerId, own.loan.loan_id),
      collections,
    }
    return { collections: await collectionsOnWire(sql, own, collections, around) }
  })
}

/** Adds the steps of each collection's money: its posting, receipt and refunds. */
export async function collectionsOnWire(
  sql: Sql,
  { loan, facts }: OwnLoan,
  collections: readonly CollectionRow[],
  around: CollectionSurroundings,
): Promise<Collection[]> {
  const { borrower_id: borrowerId } = loan
  // The payment of a debit is stored under the collection's id.
  const ids = collections.filter(({ provider_payment_id }) => provider_payment_id !== null).map(({ collection_id }) => collection_id)
  const payments = await listLinkPayments(sql, borrowerId, ids)
  const refunds = await listLinkRefunds(sql, borrowerId, ids)
  const posted = payments.flatMap(({ transaction_id: id }) => (id === null ? [] : [id]))
  const postings = await readPostingsById(sql, loan, posted)
  const receipts = await findReceipts(sql, borrowerId, posted)
  const state = loanStateDuring(facts, dayInIndia(around.now))
  return collections.map((row) => {
    const isOwn = ({ payment_intent_id }: { payment_intent_id: string }) => payment_intent_id === row.collection_id
    const own = { payments: payments.filter(isOwn), refunds: refunds.filter(isOwn), postings, receipts, loan: { facts, state } }
    return collectionOnWire(row, around, { steps: buildMoneySteps(own), refundStatus: findReturnStatus(own.payments, own.refunds) })
  })
}
